// Nobody grants what he has not got: checks of writes to roles and bindings, for the registry to
// call before it stores one.
//
// A role may be written by who holds all that it grants already, or is allowed to `escalate` it; a
// binding by who holds what its role grants, or is allowed to `bind` that role. Members of
// system:masters may do either, and changing only what garbage collection changes is free.
#pragma once

#include <functional>
#include <string>

#include "apiserver/authz/rbac_policy.h"
#include "object/object_errors.h"
#include "object/value.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

// What is being written. Everything lives until the answer.
struct RbacWrite {
  RbacKind kind;
  const serving::UserInfo* user;
  std::string name_space;    // of the request; empty for the kinds of the cluster
  std::string request_name;  // in the path; empty when an object is created
  const object::Document* object;
  const object::Document* old = nullptr;  // null: the object is created
};

// `done` is called once, before this returns or later.
void CheckEscalation(const RbacWrite& write, serving::Authorizer& authorizer, RbacPolicy& policy,
                     std::move_only_function<void(Result<void>)> done);

// Whether the two differ in nothing but owner references, finalizers and managed fields.
bool ChangesOnlyCollectedFields(const object::Document& object, const object::Document& old);

}  // namespace skiff::apiserver
