// Acting as somebody else: Impersonate-User, -Uid, -Group and -Extra-* headers. Who sends them
// needs the right to impersonate each of the things that they name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/http.h"
#include "serving/auth/user.h"

namespace skiff::apiserver {

struct Impersonation {
  // What the real user must be allowed to impersonate.
  struct Right {
    std::string group;
    std::string resource;  // users, groups, uids, userextras, serviceaccounts
    std::string subresource;
    std::string name_space;
    std::string name;
  };

  serving::UserInfo user;
  std::vector<Right> rights;
};

// Nothing when there are no such headers; kBadRequest when they name no user.
Result<std::optional<Impersonation>> ReadImpersonation(const net::HttpHeaders& headers);

}  // namespace skiff::apiserver
