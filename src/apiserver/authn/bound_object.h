// What tokens of service accounts are bound to, as far as tokens need to know it: the service
// account, and a pod, secret or node.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/scalar/time.h"
#include "object/value.h"

namespace skiff::apiserver {

enum class BoundKind : uint8_t { kServiceAccount, kPod, kSecret, kNode };

// "serviceaccounts", "pods", ...
std::string_view BoundResource(BoundKind kind);

struct BoundObject {
  std::string uid = {};
  std::optional<object::Timestamp> deletion = {};
  std::string service_account = {};                // of pods
  std::string node = {};                           // of pods that have been placed
  std::vector<std::string> secrets = {};           // that a service account lists
  std::string token = {};                          // of secrets that hold one
  std::map<std::string, std::string> labels = {};  // of secrets
  // Of secrets that are bootstrap tokens.
  std::map<std::string, std::string, std::less<>> bootstrap_data = {};
};

// The same of a v1 object.
BoundObject ReadBoundObject(BoundKind kind, const object::Document& object);

// Where the objects are; the API server implements it from its caches. Any thread.
class BoundObjectLookup {
 public:
  virtual ~BoundObjectLookup() = default;
  // `done` is called once, before this returns or later. kNotFound when there is no such object.
  // `name_space` is empty for nodes.
  virtual void Find(BoundKind kind, std::string name_space, std::string name,
                    std::move_only_function<void(Result<BoundObject>)> done) = 0;
};

}  // namespace skiff::apiserver
