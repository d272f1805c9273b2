// Roles and bindings: nobody grants what he has not got.
#pragma once

#include "apiserver/authz/rbac_policy.h"
#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

class RbacBehaviour final : public ResourceBehaviour {
 public:
  // Both outlive it.
  RbacBehaviour(RbacKind kind, serving::Authorizer& authorizer, RbacPolicy& policy)
      : kind_(kind), authorizer_(authorizer), policy_(policy) {}

  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;

 private:
  Result<void> CheckRights(const WriteContext& write, const object::Document* old,
                           object::Document& object);

  const RbacKind kind_;
  serving::Authorizer& authorizer_;
  RbacPolicy& policy_;
};

}  // namespace skiff::apiserver
