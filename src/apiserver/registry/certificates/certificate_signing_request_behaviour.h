// Requests for certificates: they say who made them, and answers are dated.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff {

class CertificateRequestBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  // Through `approval` only the conditions change; through `status` all but the decision does.
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
};

}  // namespace skiff
