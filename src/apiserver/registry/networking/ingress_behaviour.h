// What the server says of an Ingress whose status is written: of addresses that should be written
// differently.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

class IngressBehaviour final : public ResourceBehaviour {
 public:
  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;
};

}  // namespace skiff::apiserver
