// Roles and bindings: nobody grants what he has not got.
#pragma once

#include "apiserver/authz/rbac_policy.h"
#include "apiserver/rest/behaviour.h"

namespace skiff {

class RbacBehaviour final : public ResourceBehaviour {
 public:
  // Both outlive it.
  RbacBehaviour(RbacKind kind, Authorizer& authorizer, RbacPolicy& policy)
      : kind_(kind), authorizer_(authorizer), policy_(policy) {}

  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;

 private:
  Result<void> CheckRights(const WriteContext& write, const Document* old, Document& object);

  const RbacKind kind_;
  Authorizer& authorizer_;
  RbacPolicy& policy_;
};

}  // namespace skiff
