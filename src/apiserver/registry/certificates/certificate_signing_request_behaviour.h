// Requests for certificates: they say who made them, and answers are dated.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

class CertificateRequestBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  // Through `approval` only the conditions change; through `status` all but the decision does.
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
};

}  // namespace skiff::apiserver
