#include "apiserver/registry/flowcontrol/priority_level_configuration_conversion.h"

#include "views/flowcontrol.apiserver.k8s.io/v1.h"
#include "views/flowcontrol.apiserver.k8s.io/v1beta1.h"
#include "views/flowcontrol.apiserver.k8s.io/v1beta2.h"
#include "views/flowcontrol.apiserver.k8s.io/v1beta3.h"

namespace skiff::apiserver {
namespace {

void RenameShares(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const shares = from.Find("assuredConcurrencyShares");
  out.Set(copier.arena(), "nominalConcurrencyShares",
          object::Value::Int(shares == nullptr ? 0 : shares->AsInt()));
}

void KeepShares(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const shares = from.Find("nominalConcurrencyShares");
  out.Set(copier.arena(), "nominalConcurrencyShares",
          object::Value::Int(shares == nullptr ? 0 : shares->AsInt()));
}

void DropSharesAnnotation(const object::Value&, object::Value& out, Copier&) {
  object::Value* const metadata = out.Find("metadata");
  object::Value* const annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  if (annotations == nullptr) return;
  annotations->Erase("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares");
  if (annotations->size() == 0) metadata->Erase("annotations");
}

namespace flow_v1 = views::flowcontrol_apiserver_k8s_io_v1;
namespace flow_v1beta1 = views::flowcontrol_apiserver_k8s_io_v1beta1;
namespace flow_v1beta2 = views::flowcontrol_apiserver_k8s_io_v1beta2;
namespace flow_v1beta3 = views::flowcontrol_apiserver_k8s_io_v1beta3;

constexpr ConversionRule kConversions[] = {
    {flow_v1beta1::LimitedPriorityLevelConfiguration::Type,
     flow_v1::LimitedPriorityLevelConfiguration::Type, RenameShares},
    {flow_v1beta2::LimitedPriorityLevelConfiguration::Type,
     flow_v1::LimitedPriorityLevelConfiguration::Type, RenameShares},
    {flow_v1beta3::LimitedPriorityLevelConfiguration::Type,
     flow_v1::LimitedPriorityLevelConfiguration::Type, KeepShares},
    {flow_v1beta3::PriorityLevelConfiguration::Type, flow_v1::PriorityLevelConfiguration::Type,
     DropSharesAnnotation},
};

}  // namespace

std::span<const ConversionRule> PriorityLevelConversions() { return kConversions; }

}  // namespace skiff::apiserver
