// What kubeconfigs say about one of their contexts: where the server is, whom to believe, and who
// asks. As kubectl reads them: certificates as data or as files, whose paths are relative to that
// of the kubeconfig that names them; a token, or a file with one; impersonation.
//
// Several files are read as one: of each name, and of the current context, the first file that has
// it counts. Ways to get credentials by running a program or by asking somebody (exec,
// auth-provider), and proxies, are refused with an error that says so. Errors name the file, and
// the place in it, but never repeat what stands there.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/https/rest_config.h"

namespace skiff::client {

// What to use instead of what the files say; empty: what they say.
struct KubeconfigChoice {
  std::string context = {};
  std::string cluster = {};
  std::string user = {};
};

// All of the files must be there.
Result<RestConfig> ReadKubeconfig(std::span<const std::string> paths,
                                  const KubeconfigChoice& choice = {});
Result<RestConfig> ReadKubeconfig(const std::string& path, std::string_view context = {});

// The users of one kubeconfig by name, for who has servers of its own: no server and no CA in them.
struct KubeconfigUsers {
  std::map<std::string, RestConfig, std::less<>> users;
  std::string current;  // of the current context; empty: there is none
};
Result<KubeconfigUsers> ReadKubeconfigUsers(const std::string& path);

// Where kubectl would look: the files of `listed`, which is the value of $KUBECONFIG, that exist,
// or `home`/.kube/config. Empty when there is none.
std::vector<std::string> FindKubeconfigs(std::string_view listed, std::string_view home);
// The same, of the environment of this process.
std::vector<std::string> DefaultKubeconfigs();

// One kubeconfig as text; `path` is what errors call it and what files are relative to.
Result<RestConfig> ParseKubeconfig(std::string_view text, const std::string& path,
                                   const KubeconfigChoice& choice = {});

}  // namespace skiff::client
