// The rules of an Ingress: its hosts, paths and backends.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kIngressRules;

}  // namespace skiff::apiserver
