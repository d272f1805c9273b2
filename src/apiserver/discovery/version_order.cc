#include "apiserver/discovery/version_order.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

namespace skiff::apiserver {
namespace {

// "v2beta1" as {2, 1, 1}; nothing for names of another form.
struct KubeVersion {
  int64_t major;
  int stage;  // 3: stable, 2: beta, 1: alpha
  int64_t minor;
};
std::optional<KubeVersion> ParseVersion(std::string_view name) {
  const auto number = [&](int64_t& out) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out);
    if (error != std::errc() || out < 1 || name[0] == '0') return false;
    name.remove_prefix(static_cast<size_t>(end - name.data()));
    return true;
  };
  KubeVersion out{.major = 0, .stage = 3, .minor = 0};
  if (!name.starts_with('v')) return std::nullopt;
  name.remove_prefix(1);
  if (name.empty() || !number(out.major)) return std::nullopt;
  if (name.empty()) return out;
  out.stage = name.starts_with("beta") ? 2 : name.starts_with("alpha") ? 1 : 0;
  if (out.stage == 0) return std::nullopt;
  name.remove_prefix(out.stage == 2 ? 4 : 5);
  if (name.empty() || !number(out.minor) || !name.empty()) return std::nullopt;
  return out;
}

}  // namespace

bool VersionComesFirst(std::string_view a, std::string_view b) {
  const auto left = ParseVersion(a);
  const auto right = ParseVersion(b);
  if (!left || !right) return left || (!right && a < b);
  return std::tuple(left->stage, left->major, left->minor) >
         std::tuple(right->stage, right->major, right->minor);
}

}  // namespace skiff::apiserver
