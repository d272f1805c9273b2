#include "store/etcd/version.h"

#include <charconv>

namespace skiff::store {

std::optional<EtcdVersion> ParseEtcdVersion(std::string_view text) {
  EtcdVersion out;
  const char* at = text.data();
  const char* const end = at + text.size();
  int* const parts[] = {&out.major, &out.minor, &out.patch};
  for (int* part : parts) {
    if (part != parts[0]) {
      if (at == end || *at != '.') return std::nullopt;
      ++at;
    }
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc() || *part < 0) return std::nullopt;
    at = next;
  }
  if (at != end && *at != '-' && *at != '+') return std::nullopt;
  return out;
}

bool HasReliableProgress(EtcdVersion version) {
  if (version < EtcdVersion{3, 4, 31}) return false;
  return version < EtcdVersion{3, 5, 0} || version >= EtcdVersion{3, 5, 13};
}

}  // namespace skiff::store
