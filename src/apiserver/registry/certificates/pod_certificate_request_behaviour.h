// Requests of pods for certificates: only who may "sign" for the signer answers one, and a
// certificate is issued for now.
#pragma once

#include "apiserver/rest/behaviour.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

class PodCertificateRequestBehaviour final : public ResourceBehaviour {
 public:
  // The authorizer outlives it.
  explicit PodCertificateRequestBehaviour(serving::Authorizer& authorizer)
      : authorizer_(authorizer) {}

  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;

 private:
  serving::Authorizer& authorizer_;
};

}  // namespace skiff::apiserver
