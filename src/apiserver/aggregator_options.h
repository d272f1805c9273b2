// What the options of the server say to its aggregator, and what it says of its health.
#pragma once

#include "apiserver/aggregator/aggregator.h"
#include "apiserver/discovery/served_resources.h"
#include "apiserver/options.h"
#include "serving/health.h"

namespace skiff::apiserver {

AggregatorOptions AggregatorOptionsOf(const ApiServerOptions& options,
                                      const ServedResources& served);

// The checks of kube-apiserver about aggregation that are true of what runs here. The aggregator
// outlives them.
void AddAggregatorChecks(const Aggregator& aggregator, serving::Health& health);

}  // namespace skiff::apiserver
