#include "apiserver/registry/resource/device_conversion.h"

#include "views/resource.k8s.io/v1.h"
#include "views/resource.k8s.io/v1beta1.h"
#include "views/resource.k8s.io/v1beta2.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::resource_k8s_io_v1;
namespace v1beta1 = views::resource_k8s_io_v1beta1;
namespace v1beta2 = views::resource_k8s_io_v1beta2;

// Only if there is something to put into it: a request may have firstAvailable instead.
void FillExactly(const object::Value& from, object::Value& out, Copier& copier) {
  const uint16_t index = out.type()->FindField("exactly");
  object::Value exactly =
      object::Value::EmptyObject(copier.arena(), out.type()->fields[index].message);
  copier.CopyMembers(from, exactly);
  if (exactly.size() != 0) out.SetMember(copier.arena(), index, exactly);
}

void EmptyExactly(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const exactly = from.Find("exactly");
  if (exactly != nullptr) copier.CopyMembers(*exactly, out);
}

void FillBasic(const object::Value& from, object::Value& out, Copier& copier) {
  copier.CopyMembers(from, copier.Make(out, "basic"));
}

void EmptyBasic(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const basic = from.Find("basic");
  if (basic != nullptr) copier.CopyMembers(*basic, out);
}

constexpr ConversionRule kRules[] = {
    {v1beta1::DeviceRequest::Type, v1::DeviceRequest::Type, FillExactly},
    {v1beta1::DeviceRequest::Type, v1beta2::DeviceRequest::Type, FillExactly},
    {v1::DeviceRequest::Type, v1beta1::DeviceRequest::Type, EmptyExactly},
    {v1beta2::DeviceRequest::Type, v1beta1::DeviceRequest::Type, EmptyExactly},
    {v1beta1::Device::Type, v1::Device::Type, EmptyBasic},
    {v1beta1::Device::Type, v1beta2::Device::Type, EmptyBasic},
    {v1::Device::Type, v1beta1::Device::Type, FillBasic},
    {v1beta2::Device::Type, v1beta1::Device::Type, FillBasic},
};

}  // namespace

std::span<const ConversionRule> DeviceConversions() { return kRules; }

}  // namespace skiff::apiserver
