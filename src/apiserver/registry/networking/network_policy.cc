#include "apiserver/registry/networking/network_policy.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/seen_names.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

// What an update may keep although it would be refused in a new policy.
struct Tolerated {
  LabelSelectorOptions selectors;
  SeenNames cidrs;
};

void ValidatePort(const networking::NetworkPolicyPort& port, FieldErrors& errors) {
  if (port.protocol()) {
    ValidateOneOf(*port.protocol(), {"TCP", "UDP", "SCTP"}, "protocol", errors);
  }
  const std::optional<int32_t> end = port.end_port();
  if (!port.port()) {
    if (end) {
      errors.Invalid("endPort", *end, "may not be specified when `port` is not specified");
    }
    return;
  }
  if (port.port()->is_string) {
    if (end) errors.Invalid("endPort", *end, "may not be specified when `port` is non-numeric");
    return ValidateFormat(kPortNameFormat, port.port()->text, "port", errors);
  }
  ValidatePortNumber(port.port()->number, "port", errors);
  if (!end) return;
  if (*end < port.port()->number) {
    errors.Invalid("endPort", port.port()->number, "must be greater than or equal to `port`");
  }
  ValidatePortNumber(*end, "endPort", errors);
}

void ValidatePolicyCidr(std::string_view cidr, const Tolerated& tolerated, std::string_view field,
                        FieldErrors& errors) {
  if (!tolerated.cidrs.Has(cidr)) CheckOldCidr(cidr, field, errors);
}

void ValidateIpBlock(const networking::IPBlock& block, const Tolerated& tolerated,
                     FieldErrors& errors) {
  if (block.cidr().empty()) return errors.Required("cidr");
  ValidatePolicyCidr(block.cidr(), tolerated, "cidr", errors);
  const std::optional<IpRange> range = ReadCidr(block.cidr());
  if (!range) return;
  const auto except = block.except();
  for (size_t i = 0; i < except.size(); ++i) {
    const auto at = errors.At("except", i);
    ValidatePolicyCidr(except[i], tolerated, "", errors);
    const std::optional<IpRange> part = ReadCidr(except[i]);
    if (!part) continue;
    if (!range->Contains(part->base()) || range->prefix_bits() >= part->prefix_bits()) {
      errors.Invalid("", except[i], "must be a strict subset of `cidr`");
    }
  }
}

void ValidatePeer(const networking::NetworkPolicyPeer& peer, const Tolerated& tolerated,
                  FieldErrors& errors) {
  int count = 0;
  if (peer.has_pod_selector()) {
    ++count;
    const auto at = errors.At("podSelector");
    ValidateLabelSelector(peer.pod_selector(), tolerated.selectors, errors);
  }
  if (peer.has_namespace_selector()) {
    ++count;
    const auto at = errors.At("namespaceSelector");
    ValidateLabelSelector(peer.namespace_selector(), tolerated.selectors, errors);
  }
  if (peer.has_ip_block()) {
    ++count;
    const auto at = errors.At("ipBlock");
    ValidateIpBlock(peer.ip_block(), tolerated, errors);
  }
  if (count == 0) {
    errors.Required("", "must specify a peer");
  } else if (count > 1 && peer.has_ip_block()) {
    errors.Forbidden("", "may not specify both ipBlock and another peer");
  }
}

void ValidateTraffic(std::string_view rule_field, size_t index,
                     const object::ListView<networking::NetworkPolicyPort>& ports,
                     std::string_view peer_field,
                     const object::ListView<networking::NetworkPolicyPeer>& peers,
                     const Tolerated& tolerated, FieldErrors& errors) {
  const auto rule = errors.At(rule_field, index);
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto at = errors.At("ports", i);
    ValidatePort(ports[i], errors);
  }
  for (size_t i = 0; i < peers.size(); ++i) {
    const auto at = errors.At(peer_field, i);
    ValidatePeer(peers[i], tolerated, errors);
  }
}

void ValidateSpec(const networking::NetworkPolicySpec& spec, const Tolerated& tolerated,
                  FieldErrors& errors) {
  {
    const auto at = errors.At("podSelector");
    ValidateLabelSelector(spec.pod_selector(), tolerated.selectors, errors);
  }
  for (size_t i = 0; i < spec.ingress().size(); ++i) {
    const networking::NetworkPolicyIngressRule rule = spec.ingress()[i];
    ValidateTraffic("ingress", i, rule.ports(), "from", rule.from(), tolerated, errors);
  }
  for (size_t i = 0; i < spec.egress().size(); ++i) {
    const networking::NetworkPolicyEgressRule rule = spec.egress()[i];
    ValidateTraffic("egress", i, rule.ports(), "to", rule.to(), tolerated, errors);
  }
  const auto types = spec.policy_types();
  if (types.size() > 2) {
    return errors.Invalid("policyTypes",
                          ShownValue(MemberOf(spec, networking::NetworkPolicySpec::kPolicyTypes)),
                          "may not specify more than two policyTypes");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const auto at = errors.At("policyTypes", i);
    ValidateOneOf(types[i], {"Ingress", "Egress"}, "", errors);
  }
}

void AddCidrs(const object::ListView<networking::NetworkPolicyPeer>& peers, SeenNames& out) {
  for (const networking::NetworkPolicyPeer peer : peers) {
    if (!peer.has_ip_block()) continue;
    out.Add(peer.ip_block().cidr());
    for (const std::string_view except : peer.ip_block().except()) out.Add(except);
  }
}

void ValidateNetworkPolicy(const object::Document& object, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateSpec(networking::NetworkPolicy(object).spec(), {}, errors);
}

void ValidateNetworkPolicyUpdate(const object::Document& object, const object::Document& old,
                                 FieldErrors& errors) {
  const networking::NetworkPolicySpec before = networking::NetworkPolicy(old).spec();
  Tolerated tolerated;
  FieldErrors old_faults(errors.settings());
  ValidateLabelSelector(before.pod_selector(), {}, old_faults);
  tolerated.selectors.allow_invalid_values = !old_faults.empty();
  for (const auto& rule : before.ingress()) AddCidrs(rule.from(), tolerated.cidrs);
  for (const auto& rule : before.egress()) AddCidrs(rule.to(), tolerated.cidrs);
  const auto at = errors.At("spec");
  ValidateSpec(networking::NetworkPolicy(object).spec(), tolerated, errors);
}

void WarnAboutPeers(const std::string& path,
                    const object::ListView<networking::NetworkPolicyPeer>& peers,
                    std::vector<std::string>& warnings) {
  for (size_t i = 0; i < peers.size(); ++i) {
    if (!peers[i].has_ip_block()) continue;
    const std::string block = path + "[" + std::to_string(i) + "].ipBlock";
    WarnAboutCidr(block + ".cidr", peers[i].ip_block().cidr(), warnings);
    const auto except = peers[i].ip_block().except();
    for (size_t j = 0; j < except.size(); ++j) {
      WarnAboutCidr(block + ".except[" + std::to_string(j) + "]", except[j], warnings);
    }
  }
}

void WarnAboutNetworkPolicy(const object::Document& object, const object::Document*,
                            const KindSettings&, std::vector<std::string>& warnings) {
  const networking::NetworkPolicySpec spec = networking::NetworkPolicy(object).spec();
  for (size_t i = 0; i < spec.ingress().size(); ++i) {
    WarnAboutPeers("spec.ingress[" + std::to_string(i) + "].from", spec.ingress()[i].from(),
                   warnings);
  }
  for (size_t i = 0; i < spec.egress().size(); ++i) {
    WarnAboutPeers("spec.egress[" + std::to_string(i) + "].to", spec.egress()[i].to(), warnings);
  }
}

}  // namespace

constinit const KindRules kNetworkPolicyRules = {.group = "networking.k8s.io",
                                                 .kind = "NetworkPolicy",
                                                 .create = ValidateNetworkPolicy,
                                                 .update = ValidateNetworkPolicyUpdate,
                                                 .warn = WarnAboutNetworkPolicy};

}  // namespace skiff::apiserver
