// For whom a node may request tokens of a pod's service account: for whoever a volume of the pod is
// for, and for whom the node is authorized.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/admission/plugin.h"

namespace skiff::apiserver {

class TokenAudiences {
 public:
  explicit TokenAudiences(const PluginContext& context);

  // Why the token may not be had; empty when it may. The request is of serviceaccounts/token.
  std::string Check(const AdmissionRequest& request, const object::Document& pod);

 private:
  bool IsReferredTo(const object::Document& pod, std::string_view name_space,
                    std::string_view audience);
  // The CSI driver behind a claim or a volume of the pod; empty when there is none.
  std::string DriverOfClaim(std::string_view name_space, std::string_view claim);
  std::string DriverOf(const object::Value& volume, std::string_view name_space,
                       std::string_view pod_name);
  bool DriverWants(std::string_view driver, std::string_view audience);

  serving::Authorizer& authorizer_;
  ResourceStorage* claims_;
  ResourceStorage* volumes_;
  ResourceStorage* drivers_;
};

}  // namespace skiff::apiserver
