#include "apiserver/registry/rbac/role_binding_conversion.h"

#include "views/rbac.authorization.k8s.io/v1.h"
#include "views/rbac.authorization.k8s.io/v1alpha1.h"

namespace skiff::apiserver {
namespace {

void TurnSubject(const object::Value& from, object::Value& out, Copier& copier) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  const std::string_view kind = TextIn(from, "kind");
  const std::string_view api_version = TextIn(from, "apiVersion");
  if (kind == "User" || kind == "Group") {
    copier.PutText(out, "apiGroup", kGroup);
  } else if (const size_t slash = api_version.find('/');
             kind != "ServiceAccount" && slash != std::string_view::npos) {
    copier.PutText(out, "apiGroup", api_version.substr(0, slash));
  }
  if (kind != "User" || TextIn(from, "name") != "*") return;
  copier.PutText(out, "kind", "Group");
  copier.PutText(out, "name", "system:authenticated");
}

constexpr ConversionRule kConversions[] = {
    {views::rbac_authorization_k8s_io_v1alpha1::Subject::Type,
     views::rbac_authorization_k8s_io_v1::Subject::Type, TurnSubject},
};

}  // namespace

std::span<const ConversionRule> SubjectConversions() { return kConversions; }

}  // namespace skiff::apiserver
