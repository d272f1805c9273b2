// Pods: their first status, and how long they take to go.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff {

class PodBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
  void Check(WriteContext& write, const Document* old, const Document& object, bool follows_rules,
             FieldErrors& errors) override;
  int64_t GracePeriodSeconds(const DeleteOptions& options, Document& object) override;
};

}  // namespace skiff
