// How the roles and bindings of a cluster are brought up to those that this version comes with.
//
// What is missing is made. Rules, subjects, labels and annotations that are missing are added; what
// an operator added stays, and an object with the annotation
// rbac.authorization.kubernetes.io/autoupdate: "false" is left alone. A binding to another role is
// made anew, since its roleRef cannot change.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// The existing role with what it lacks; nothing when it lacks nothing or is left alone. Roles and
// cluster roles.
std::optional<object::Document> ReconcileRole(const object::Document& existing,
                                              const object::Document& expected);

struct ReconciledBinding {
  object::Document binding;
  bool recreate;  // the existing one has to go first
};
std::optional<ReconciledBinding> ReconcileBinding(const object::Document& existing,
                                                  const object::Document& expected);

// What has to be written.
struct RbacPlan {
  struct Replacement {
    object::Document object;
    std::string old_uid;  // of the one to be deleted first, if it is still that one
  };
  std::vector<std::string> namespaces = {};  // to be made first unless they are there
  std::vector<object::Document> create = {};
  std::vector<object::Document> update = {};  // with the resourceVersion that they were read at
  std::vector<Replacement> recreate = {};

  bool empty() const { return create.empty() && update.empty() && recreate.empty(); }
};

// `existing` are the objects of all four kinds. Besides, roles that became aggregated since the
// cluster was made pass their rules on, as do bindings that were split.
RbacPlan PlanRbac(std::span<const object::Document> existing,
                  std::vector<object::Document> expected);

// Where the objects are; the API server implements it. Writes may go out in any order and at once.
class RbacObjects {
 public:
  virtual ~RbacObjects() = default;
  // Of all four kinds, as rbac.authorization.k8s.io/v1.
  virtual void List(std::move_only_function<void(Result<std::vector<object::Document>>)> done) = 0;
  // Does all of it that it can; the first error, if any.
  virtual void Write(RbacPlan plan, std::move_only_function<void(Result<void>)> done) = 0;
};

// Lists, plans, and writes; starts over, a few times, when others wrote meanwhile. On other errors
// the owner tries again after a second, for half a minute. `objects` live until `done`.
void EnsureBootstrapPolicy(RbacObjects& objects, std::move_only_function<void(Result<void>)> done);

}  // namespace skiff::apiserver
