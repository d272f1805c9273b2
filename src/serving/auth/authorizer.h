// The seam between the pipeline and what decides whether a user may do something.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "serving/auth/user.h"

namespace skiff::serving {

// One requirement of a selector. Of fields the operators are "=" and "!=", with one value; of
// labels "in", "notin", "exists", "!", "gt", "lt" and those of fields.
struct SelectedBy {
  std::string key;
  std::string op;
  std::vector<std::string> values;
};

// What somebody wants to do. The user and the texts live until the answer.
struct AccessAttributes {
  const UserInfo* user = nullptr;
  // "get", "list", ... of resources; of others the HTTP method in lower case.
  std::string_view verb;
  bool is_resource = false;
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view subresource;
  std::string_view name_space;
  std::string_view name;
  std::string_view path;  // of what is no resource: "/healthz"
  // What the selectors of a list, watch or delete of many come to; empty when there are none. An
  // authorizer may ignore them: without them the request asks for more, not for less.
  std::span<const SelectedBy> field_requirements = {};
  std::span<const SelectedBy> label_requirements = {};
};

enum class Decision : uint8_t { kAllow, kDeny, kNoOpinion };

struct AuthorizationResult {
  Decision decision = Decision::kNoOpinion;
  std::string reason;            // for people; may be empty
  std::string evaluation_error;  // what could not be evaluated; mostly empty
};

// Any thread. `done` is called once, before Authorize() returns or later.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual void Authorize(const AccessAttributes& attributes,
                         std::move_only_function<void(AuthorizationResult)> done) = 0;
};

}  // namespace skiff::serving
