// How one component reaches an API server: where it is, whom to believe, and who asks.
//
// Comes from a kubeconfig (kubeconfig.h), from the environment of a pod (in_cluster.h), or is
// filled in by hand. What is a file stays the name of a file here, so that what uses it can read it
// again when it changes; the functions below read it once. Errors name files and never repeat what
// is in them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/status.h"
#include "net/client/client_tls.h"

namespace skiff::client {

// A text that is at hand, or else in a file; neither when both are empty.
struct TextOrFile {
  std::string text = {};
  std::string file = {};
  bool empty() const { return text.empty() && file.empty(); }
};

// Whom the server shall take the client for, if the client may do that.
struct ImpersonatedUser {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
  bool empty() const { return user.empty() && uid.empty() && groups.empty() && extra.empty(); }
};

struct RestConfig {
  std::string server = {};  // "https://host:6443", or http:// for one without TLS
  TextOrFile ca = {};       // PEM; empty: those that the system trusts
  std::string server_name = {};
  bool insecure = false;
  TextOrFile certificate = {};  // PEM, of the client
  TextOrFile key = {};
  TextOrFile token = {};  // with both, the file counts as long as it can be read
  std::string user = {};  // and password, of basic authentication
  std::string password = {};
  ImpersonatedUser impersonation = {};
  std::string name_space = {};  // of the context, or of the pod
  std::string user_agent = "skiff";
  // Calls a second in the long run, and at once; no limit unless both are positive.
  double qps = 0;
  int burst = 0;
  // Of one try of a call that is no watch; none begins later after the first.
  Duration timeout = limits::kClientRequestTimeout;
  // Whether answers may come compressed. Nothing: unless the server is on this machine, where that
  // would cost more than it saves.
  std::optional<bool> compression = {};
  // Whether built-in kinds go as protobuf; else everything is JSON.
  bool protobuf = true;

  // The same server, without any credentials.
  RestConfig Anonymous() const;
};

// A small file, whole.
Result<std::string> ReadCredentialFile(const std::string& path);
// The text, or what is in the file; "" when there is neither.
Result<std::string> LoadText(const TextOrFile& source);
// With the files read.
Result<net::ClientTlsOptions> LoadTls(const RestConfig& config);
// Without the white space around it, which a header must not have.
Result<std::string> LoadToken(const RestConfig& config);
// What contradicts itself or is incomplete.
Result<void> CheckRestConfig(const RestConfig& config);

}  // namespace skiff::client
