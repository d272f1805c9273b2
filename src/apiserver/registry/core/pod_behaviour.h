// Pods: their first status, and how long they take to go.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

class PodBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;
  int64_t GracePeriodSeconds(const DeleteOptions& options, object::Document& object) override;
};

}  // namespace skiff::apiserver
