#include "apiserver/registry/core/service_account.h"

#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kMountableAnnotation = "kubernetes.io/enforce-mountable-secrets";

void WarnAboutServiceAccount(const object::Document& object, const object::Document* old,
                             const KindSettings&, std::vector<std::string>& warnings) {
  const auto has = [](const object::Document& account) {
    return core::ServiceAccount(account).metadata().annotations().Contains(kMountableAnnotation);
  };
  if (!has(object) || (old != nullptr && has(*old))) return;
  warnings.push_back("metadata.annotations[" + std::string(kMountableAnnotation) +
                     "]: deprecated in v1.32+; prefer separate namespaces to isolate access to "
                     "mounted secrets");
}

}  // namespace

constinit const KindRules kServiceAccountRules = {
    .group = "", .kind = "ServiceAccount", .warn = WarnAboutServiceAccount};

}  // namespace skiff::apiserver
