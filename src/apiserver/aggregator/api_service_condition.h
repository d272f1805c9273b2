// The condition Available of an APIService.
#pragma once

#include "apiserver/aggregator/backend.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of those that this server serves itself.
BackendCondition LocalCondition();

bool IsAvailable(const object::Document& api_service);
// Whether it says something else, or nothing.
bool LacksCondition(const object::Document& api_service, const BackendCondition& condition);

// The time of transition changes with the status only.
void SetCondition(const BackendCondition& condition, object::Timestamp now,
                  object::Document& api_service);

}  // namespace skiff::apiserver
