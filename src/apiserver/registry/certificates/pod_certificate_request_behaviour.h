// Requests of pods for certificates: only who may "sign" for the signer answers one, and a
// certificate is issued for now.
#pragma once

#include "apiserver/rest/behaviour.h"
#include "serving/auth/authorizer.h"

namespace skiff {

class PodCertificateRequestBehaviour final : public ResourceBehaviour {
 public:
  // The authorizer outlives it.
  explicit PodCertificateRequestBehaviour(Authorizer& authorizer) : authorizer_(authorizer) {}

  void Check(WriteContext& write, const Document* old, const Document& object, bool follows_rules,
             FieldErrors& errors) override;

 private:
  Authorizer& authorizer_;
};

}  // namespace skiff
