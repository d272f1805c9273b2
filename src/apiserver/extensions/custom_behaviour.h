// What the server does to a custom resource that is written, beyond what it does to all objects:
// the parts of the built-in kinds' schema files that are the same for all definitions, and the
// rules of the definition's own schema.
#pragma once

#include <atomic>

#include "apiserver/extensions/definition.h"
#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

// Of one version; the objects are in that version. It lives as long as the definition.
class CustomBehaviour final : public ResourceBehaviour {
 public:
  // `terminating`: no objects may be created, since the definition is being deleted.
  CustomBehaviour(const CustomVersion& version, const std::atomic<bool>& terminating)
      : version_(version), terminating_(terminating) {}

  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;

 private:
  const CustomVersion& version_;
  const std::atomic<bool>& terminating_;
};

}  // namespace skiff::apiserver
