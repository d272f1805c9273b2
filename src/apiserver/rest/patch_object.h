// A patch as it came in, and what it makes of an object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/rest/input.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

enum class PatchKind : uint8_t { kJson, kMerge, kStrategic };

struct ObjectPatch {
  PatchKind kind;
  FieldValidation mode;
  std::shared_ptr<const object::Document> body;
  std::vector<std::string> faults;  // of the patch itself, that its mode warns of or refuses
};

// kUnsupportedMediaType for a kind of patch that there is not, or not for objects of this kind.
Result<ObjectPatch> ReadPatch(serving::ApiRequest& request, const object::MessageDesc& kind);

// The patched object; unknown fields in it are reported as the request wants.
Result<object::Document> ApplyPatch(serving::ApiRequest& request, const ObjectPatch& patch,
                                    const object::Value& current, const ExpectedKind& kind,
                                    const DefaultPlans& defaults);

}  // namespace skiff::apiserver
