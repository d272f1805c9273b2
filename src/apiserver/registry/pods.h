// Pods: their first status, how long they take to go, and how they get to a node.
#pragma once

#include "apiserver/rest/behaviour.h"
#include "apiserver/rest/endpoint.h"

namespace skiff {

class PodBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
  void Check(WriteContext& write, const Document* old, const Document& object, bool follows_rules,
             FieldErrors& errors) override;
  int64_t GracePeriodSeconds(const DeleteOptions& options, Document& object) override;
};

// Of what is posted to a pod: it must be about the pod that the URL names.
Result<void> CheckPosted(const ApiRequest& request, const Endpoint& endpoint, std::string_view kind,
                         Document& posted);

// POST of pods/binding: the scheduler says on which node the pod shall run.
void HandlePodBinding(ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff
