// What a kubeconfig says about one of its contexts: where the server is, whom to believe, and who
// asks. As kubectl reads it: certificates as data or as files, whose paths are relative to that of
// the kubeconfig; a token, or a file with one.
//
// Ways to get credentials by running a program or by asking somebody (exec, auth-provider) are
// refused with an error that says so.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client/client_tls.h"

namespace skiff {

struct ClusterAccess {
  std::string server;  // its URL
  ClientTlsOptions tls;
  std::string token;  // of the user; empty: none
  std::string user;   // and password, of basic authentication; mostly empty
  std::string password;
};

// `context` is the name of one; empty: the current one. Errors name the path.
Result<ClusterAccess> ReadKubeconfig(const std::string& path, std::string_view context);

// Where kubectl would look: the first file of $KUBECONFIG that exists, or ~/.kube/config. Empty
// when there is neither.
std::string DefaultKubeconfig();

}  // namespace skiff
