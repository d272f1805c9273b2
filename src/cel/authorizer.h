// Authorization as expressions ask for it: authorizer.group('apps').resource('deployments')
// .check('get').allowed().
//
// CEL knows nothing of servers: who has an authorizer gives it as this interface.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cel/declarations.h"
#include "cel/evaluation.h"

namespace skiff::cel {

struct AuthorizerUser {
  std::string name;
  // Of a service account, which expressions may ask for; both empty: as given.
  std::string service_account_namespace;
  std::string service_account_name;
};

struct AuthorizerRequest {
  AuthorizerUser user;
  std::string verb;
  bool is_resource = false;
  std::string path;  // of a request that is not for a resource
  std::string group;
  std::string resource;
  std::string subresource;
  std::string resource_namespace;
  std::string name;
  std::string field_selector;  // as written
  std::string label_selector;
};

struct AuthorizerDecision {
  bool allowed = false;
  std::string reason;
  std::string error;  // empty: none
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual AuthorizerDecision Authorize(const AuthorizerRequest& request) const = 0;
};

std::span<const OverloadRow> AuthorizerFunctions();

// The values of `authorizer` and `authorizer.requestResource`. The authorizer outlives them.
Val AuthorizerVal(Evaluation& evaluation, const Authorizer& authorizer, std::string user);
Val ResourceCheckVal(Evaluation& evaluation, const Authorizer& authorizer,
                     const AuthorizerRequest& request);

}  // namespace skiff::cel
