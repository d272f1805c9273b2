// Claims to devices: who may take devices from others, bind claims, and report for drivers.
//
// Admin access is for namespaces with a label. Beyond the right to write resourceclaims/status, who
// changes what is allocated or reserved needs the verb of the request on resourceclaims/binding in
// the whole cluster; who changes what is reported of a driver's devices, on resourceclaims/driver
// with the name of the driver: "arbitrary-node:VERB", or "associated-node:VERB" for a service
// account whose token is bound to the node that the devices are on.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "apiserver/rest/behaviour.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

// The namespace of this name as it is stored, without waiting.
using FindNamespace = std::function<Result<object::Document>(std::string_view name)>;

class ResourceClaimBehaviour final : public ResourceBehaviour {
 public:
  // The authorizer outlives it.
  ResourceClaimBehaviour(serving::Authorizer& authorizer, FindNamespace find_namespace)
      : authorizer_(authorizer), find_namespace_(std::move(find_namespace)) {}

  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;

 private:
  void CheckStatus(const WriteContext& write, const object::Document& old,
                   const object::Document& object, FieldErrors& errors);
  void CheckBinding(const WriteContext& write, FieldErrors& errors);
  void CheckDevices(const WriteContext& write, const object::Document& old,
                    const object::Document& object, FieldErrors& errors);

  serving::Authorizer& authorizer_;
  FindNamespace find_namespace_;
};

class ResourceClaimTemplateBehaviour final : public ResourceBehaviour {
 public:
  explicit ResourceClaimTemplateBehaviour(FindNamespace find_namespace)
      : find_namespace_(std::move(find_namespace)) {}

  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;

 private:
  FindNamespace find_namespace_;
};

}  // namespace skiff::apiserver
