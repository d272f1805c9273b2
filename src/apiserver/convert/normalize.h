// What an object becomes by being read, beyond defaults: older and newer names of one thing agree.
//
//   Pod, pod templates  spec.serviceAccount is another name of serviceAccountName, which wins;
//                       annotations of init containers, from before they were fields, are dropped
//   Pod                 a negative grace period is 1; status.podIP and podIPs[0] agree
//   Node                spec.podCIDR and podCIDRs[0] agree
//   Secret              stringData is put into data
//   StatefulSet         its claim templates say that they are claims
//   PodDisruptionBudget the label that once marked empty selectors is not mixed with others
//   Deployment,         annotations of former fields hold integers
//   DaemonSet
//
// Of an address and a list of addresses that disagree, the single one wins: only old clients write
// it without looking at the list.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff {

// Applied to objects of any kind, as they come from clients. Fails with a bad request.
Result<void> Normalize(Document& object);

}  // namespace skiff
