#include "apiserver/registry/rbac/role_binding.h"

#include "apiserver/validation/common.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

constexpr std::string_view kGroupName = "rbac.authorization.k8s.io";
constexpr NameFormat kPathSegment{object::IsPathSegmentName, object::CheckPathSegmentName};

void ValidateSubject(const rbac::Subject& subject, bool in_namespace, FieldErrors& errors) {
  ValidateRequired(subject.name(), "name", errors);
  if (subject.kind() == "ServiceAccount") {
    if (!subject.name().empty()) {
      ValidateFormat(kDnsSubdomainFormat, subject.name(), "name", errors);
    }
    if (!subject.api_group().empty()) ValidateOneOf(subject.api_group(), {""}, "apiGroup", errors);
    if (!in_namespace) ValidateRequired(subject.namespace_(), "namespace", errors);
  } else if (subject.kind() == "User" || subject.kind() == "Group") {
    ValidateOneOf(subject.api_group(), {kGroupName}, "apiGroup", errors);
  } else {
    errors.NotSupported("kind", subject.kind(), {"ServiceAccount", "User", "Group"});
  }
}

void ValidateBinding(const rbac::RoleRef& role, const object::ListView<rbac::Subject>& subjects,
                     bool in_namespace, FieldErrors& errors) {
  {
    const auto at = errors.At("roleRef");
    ValidateOneOf(role.api_group(), {kGroupName}, "apiGroup", errors);
    if (in_namespace) {
      ValidateOneOf(role.kind(), {"Role", "ClusterRole"}, "kind", errors);
    } else {
      ValidateOneOf(role.kind(), {"ClusterRole"}, "kind", errors);
    }
    ValidateRequiredFormat(kPathSegment, role.name(), "name", errors);
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    const auto at = errors.At("subjects", i);
    ValidateSubject(subjects[i], in_namespace, errors);
  }
}

void ValidateSameRole(const rbac::RoleRef& role, const rbac::RoleRef& old, FieldErrors& errors) {
  if (SameValue(old.AsValue(), role.AsValue())) return;
  errors.Invalid("roleRef", ShownValue(role.AsValue()), "cannot change roleRef");
}

void ValidateRoleBinding(const object::Document& object, FieldErrors& errors) {
  const rbac::RoleBinding binding(object);
  ValidateBinding(binding.role_ref(), binding.subjects(), true, errors);
}

void ValidateRoleBindingUpdate(const object::Document& object, const object::Document& old,
                               FieldErrors& errors) {
  ValidateRoleBinding(object, errors);
  ValidateSameRole(rbac::RoleBinding(object).role_ref(), rbac::RoleBinding(old).role_ref(), errors);
}

void ValidateClusterRoleBinding(const object::Document& object, FieldErrors& errors) {
  const rbac::ClusterRoleBinding binding(object);
  ValidateBinding(binding.role_ref(), binding.subjects(), false, errors);
}

void ValidateClusterRoleBindingUpdate(const object::Document& object, const object::Document& old,
                                      FieldErrors& errors) {
  ValidateClusterRoleBinding(object, errors);
  ValidateSameRole(rbac::ClusterRoleBinding(object).role_ref(),
                   rbac::ClusterRoleBinding(old).role_ref(), errors);
}

}  // namespace

constinit const KindRules kRoleBindingRules = {.group = kGroupName,
                                               .kind = "RoleBinding",
                                               .create = ValidateRoleBinding,
                                               .update = ValidateRoleBindingUpdate};
constinit const KindRules kClusterRoleBindingRules = {.group = kGroupName,
                                                      .kind = "ClusterRoleBinding",
                                                      .create = ValidateClusterRoleBinding,
                                                      .update = ValidateClusterRoleBindingUpdate};

}  // namespace skiff::apiserver
