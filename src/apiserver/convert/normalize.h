// What an object becomes by being read: defaults, and older and newer names of one thing agree.
// Every write takes this road, whether the object is the body of a request or what a patch or a
// configuration makes of the stored one, and so does what is about to be stored. What happens to
// which kind stands with the kinds (normal_form.h), in short:
//
//   Pod, pod templates  spec.serviceAccount is another name of serviceAccountName, which wins;
//                       annotations of init containers, from before they were fields, are dropped
//   Pod                 a negative grace period is 1; status.podIP and podIPs[0] agree
//   Node                spec.podCIDR and podCIDRs[0] agree
//   Secret              stringData is put into data
//   StatefulSet         its claim templates say that they are claims
//   HorizontalPodAutoscaler of version 2: annotations of version 1 for what are fields are dropped
//   PodDisruptionBudget the label that once marked empty selectors is not mixed with others
//   Deployment,         annotations of former fields hold integers
//   DaemonSet
//
// Of an address and a list of addresses that disagree, the single one wins: only old clients write
// it without looking at the list.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

class DefaultPlans;

// Applied to objects of any kind, in the version that they came in. Doing so again changes nothing.
// Fails with a bad request.
Result<void> DefaultAndNormalize(const DefaultPlans& defaults, object::Document& object);
// The second half of it.
Result<void> Normalize(object::Document& object);

}  // namespace skiff::apiserver
