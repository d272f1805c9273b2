#include "apiserver/registry/networking/ingress_conversion.h"

#include "views/extensions/v1beta1.h"
#include "views/networking.k8s.io/v1.h"
#include "views/networking.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

void RenameDefaultBackend(const object::Value& from, object::Value& out, Copier& copier) {
  copier.Put(out, "defaultBackend", from.Find("backend"));
}

void NestService(const object::Value& from, object::Value& out, Copier& copier) {
  const std::string_view name = TextIn(from, "serviceName");
  const object::Value* const port = from.Find("servicePort");
  const bool named_port = port != nullptr && port->is_string();
  const int64_t number = port == nullptr || named_port ? 0 : port->AsInt();
  if (name.empty() && !named_port && number == 0) return;
  object::Value& service = copier.Make(out, "service");
  copier.PutText(service, "name", name);
  object::Value& out_port = copier.Make(service, "port");
  if (named_port && !port->AsText().empty()) copier.PutText(out_port, "name", port->AsText());
  if (number != 0) out_port.Set(copier.arena(), "number", object::Value::Int(number));
}

namespace net_v1 = views::networking_k8s_io_v1;
namespace net_v1beta1 = views::networking_k8s_io_v1beta1;

constexpr ConversionRule kConversions[] = {
    {views::extensions_v1beta1::IngressSpec::Type, net_v1::IngressSpec::Type, RenameDefaultBackend},
    {views::extensions_v1beta1::IngressBackend::Type, net_v1::IngressBackend::Type, NestService},
    {net_v1beta1::IngressSpec::Type, net_v1::IngressSpec::Type, RenameDefaultBackend},
    {net_v1beta1::IngressBackend::Type, net_v1::IngressBackend::Type, NestService},
};

}  // namespace

std::span<const ConversionRule> IngressConversions() { return kConversions; }

}  // namespace skiff::apiserver
