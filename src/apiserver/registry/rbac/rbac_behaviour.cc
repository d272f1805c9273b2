#include "apiserver/registry/rbac/rbac_behaviour.h"

#include <optional>
#include <utility>

#include "apiserver/authz/escalation.h"
#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {

Result<void> RbacBehaviour::PrepareForCreate(WriteContext& write, object::Document& object) {
  return CheckRights(write, nullptr, object);
}

Result<void> RbacBehaviour::PrepareForUpdate(WriteContext& write, object::Document& old,
                                             object::Document& object) {
  return CheckRights(write, &old, object);
}

Result<void> RbacBehaviour::CheckRights(const WriteContext& write, const object::Document* old,
                                        object::Document& object) {
  if (write.user == nullptr) return {};
  const MetaOf meta(object);
  const RbacWrite asked{.kind = kind_,
                        .user = write.user,
                        .name_space = std::string(meta.name_space()),
                        .request_name = old != nullptr ? std::string(meta.name()) : std::string(),
                        .object = &object,
                        .old = old};
  // The authorizers of today answer before the call returns. One that does not would leave the
  // question open, which counts as no.
  auto answer = std::make_shared<std::optional<Result<void>>>();
  CheckEscalation(asked, authorizer_, policy_,
                  [answer](Result<void> result) { *answer = std::move(result); });
  if (!*answer) {
    return Fail(StatusReason::kForbidden,
                "whether this role may be granted could not be found out");
  }
  if (**answer) return {};
  return std::unexpected((*answer)->error());
}

}  // namespace skiff::apiserver
