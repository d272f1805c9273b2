#include "apiserver/registry/core/service_defaults.h"

#include "apiserver/defaults/wire_text.h"

namespace skiff::apiserver {
namespace {

// How long affinity lasts means nothing where there is none.
void DropUnusedAffinityConfig(object::Value& service, const RuleContext&) {
  object::Value* spec = PartOf(service, "spec");
  if (spec != nullptr && TextOf(*spec, "sessionAffinity") == "None") {
    spec->Erase("sessionAffinityConfig");
  }
}

bool IsZeroOrEmpty(const object::Value& number_or_name) {
  if (number_or_name.tag() == object::Tag::kInt) return number_or_name.AsInt() == 0;
  return !number_or_name.is_string() || number_or_name.AsText().empty();
}

void DefaultTargetPort(object::Value& port, const RuleContext& context) {
  const object::Value* target = port.Find("targetPort");
  if (target != nullptr && !IsZeroOrEmpty(*target)) return;
  const object::Value* own = port.Find("port");
  port.Set(context.arena, "targetPort", object::Value::Int(own == nullptr ? 0 : own->AsInt()));
}

void DefaultIngressIpMode(object::Value& service, const RuleContext& context) {
  object::Value* spec = PartOf(service, "spec");
  object::Value* status = PartOf(service, "status");
  if (spec == nullptr || status == nullptr || TextOf(*spec, "type") != "LoadBalancer") return;
  object::Value* balancer = PartOf(*status, "loadBalancer");
  if (balancer == nullptr) return;
  for (object::Value& ingress : ItemsOf(*balancer, "ingress")) {
    if (TextOf(ingress, "ip").empty() || ingress.Find("ipMode") != nullptr) continue;
    ingress.Set(context.arena, "ipMode", object::Value::String("VIP"));
  }
}

// --- whether they would change nothing, by the bytes

bool HasNoUnusedAffinityConfig(std::string_view service, const RuleSettings&) {
  static const object::WirePath affinity = CorePath("Service", "spec.sessionAffinity");
  static const object::WirePath config = CorePath("Service", "spec.sessionAffinityConfig");
  bool odd = false;
  if (WireTextAt(affinity, service, odd) != "None" && !odd) return true;
  return !odd && config.IsSet(service) == object::WirePath::Answer::kNo;
}

bool HasIngressIpModes(std::string_view service, const RuleSettings&) {
  static const object::WirePath type = CorePath("Service", "spec.type");
  static const object::WirePath modes =
      CorePath("Service", "status.loadBalancer.ingress[*].ipMode");
  bool odd = false;
  if (WireTextAt(type, service, odd) != "LoadBalancer" && !odd) return true;
  // One without an address needs no mode, and is left to the decoder.
  return !odd && modes.IsSet(service) == object::WirePath::Answer::kYes;
}

// An integer-or-string: {1 type, 2 number, 3 text}, type 0 being a number.
bool HasTargetPort(std::string_view port, const RuleSettings&) {
  static const object::WirePath target = CorePath("ServicePort", "targetPort");
  bool odd = false;
  const auto found = target.Find(port, odd);
  if (!found) return false;
  uint64_t type = 0;
  uint64_t number = 0;
  std::string_view text;
  for (object::WireReader in(found->bytes); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    object::WireError error = object::WireError::kNone;
    switch (key) {
      case object::WireKey(1, object::WireType::kVarint):
        error = in.ReadVarint(&type);
        break;
      case object::WireKey(2, object::WireType::kVarint):
        error = in.ReadVarint(&number);
        break;
      case object::WireKey(3, object::WireType::kBytes):
        error = in.ReadBytes(&text);
        break;
      default:
        error = in.Skip(key);
    }
    if (error != object::WireError::kNone) return false;
  }
  return type == 0 ? number != 0 : !text.empty();
}

constexpr CodeRuleEntry kDefaults[] = {
    {"core/v1", "Service", "spec.sessionAffinityConfig", DropUnusedAffinityConfig,
     HasNoUnusedAffinityConfig},
    {"core/v1", "ServicePort", "targetPort", DefaultTargetPort, HasTargetPort},
    {"core/v1", "Service", "status.loadBalancer.ingress[*].ipMode", DefaultIngressIpMode,
     HasIngressIpModes},
};

}  // namespace

std::span<const CodeRuleEntry> ServiceDefaults() { return kDefaults; }

}  // namespace skiff::apiserver
