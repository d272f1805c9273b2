#include "apiserver/admission/pod_security/wording.h"

namespace skiff::apiserver::pod_security {

std::string Join(std::span<const std::string> parts, std::string_view between) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += between;
    out += parts[i];
  }
  return out;
}

std::string JoinQuoted(std::span<const std::string> names) {
  if (names.empty()) return {};
  return '"' + Join(names, R"(", ")") + '"';
}

std::string_view Plural(std::string_view one, std::string_view more, size_t count) {
  return count == 1 ? one : more;
}

std::string ContainersNamed(std::span<const std::string> names) {
  return std::string(Plural("container ", "containers ", names.size())) + JoinQuoted(names);
}

std::string Setters(bool pod, std::span<const std::string> containers) {
  if (containers.empty()) return pod ? "pod" : "";
  return (pod ? "pod and " : "") + ContainersNamed(containers);
}

}  // namespace skiff::apiserver::pod_security
