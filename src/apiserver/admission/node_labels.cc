#include "apiserver/admission/node_labels.h"

#include <algorithm>
#include <string_view>

namespace skiff::apiserver {
namespace {

constexpr std::string_view kKubeletLabels[] = {
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
};
constexpr std::string_view kKubeletDomains[] = {"kubelet.kubernetes.io", "node.kubernetes.io"};
constexpr std::string_view kRestrictedDomain = "node-restriction.kubernetes.io";

// Of "a.b/c"; empty when the key has none.
std::string_view DomainOf(std::string_view key) {
  const size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

bool IsWithin(std::string_view domain, std::string_view parent) {
  if (!domain.ends_with(parent)) return false;
  return domain.size() == parent.size() || domain[domain.size() - parent.size() - 1] == '.';
}

bool IsForKubelets(std::string_view key) {
  if (std::ranges::find(kKubeletLabels, key) != std::end(kKubeletLabels)) return true;
  return std::ranges::any_of(
      kKubeletDomains, [key](std::string_view domain) { return IsWithin(DomainOf(key), domain); });
}

bool IsForbidden(std::string_view key) {
  const std::string_view domain = DomainOf(key);
  if (IsWithin(domain, kRestrictedDomain)) return true;
  const bool own = IsWithin(domain, "kubernetes.io") || IsWithin(domain, "k8s.io");
  return own && !IsForKubelets(key);
}

const object::Value* LabelsOf(const object::Document* node) {
  const object::Value* labels =
      node != nullptr ? node->root().FindPath({"metadata", "labels"}) : nullptr;
  return labels != nullptr && labels->is_map() ? labels : nullptr;
}

// Adds the forbidden keys of `a` whose value `b` does not have.
void AddChanged(const object::Value* a, const object::Value* b, std::set<std::string>& out) {
  if (a == nullptr) return;
  for (const object::MapEntry& entry : a->entries()) {
    const object::Value* other = b != nullptr ? b->Find(entry.key) : nullptr;
    if (other != nullptr && other->AsText() == entry.value.AsText()) continue;
    if (IsForbidden(entry.key)) out.emplace(entry.key);
  }
}

}  // namespace

std::set<std::string> ForbiddenNodeLabels(const object::Document& node,
                                          const object::Document* old) {
  std::set<std::string> out;
  AddChanged(LabelsOf(&node), LabelsOf(old), out);
  AddChanged(LabelsOf(old), LabelsOf(&node), out);
  return out;
}

}  // namespace skiff::apiserver
