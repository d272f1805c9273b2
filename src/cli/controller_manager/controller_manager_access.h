// How kube-controller-manager reaches API servers, and the certificate that it serves with: from
// its command line to configurations and files.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "cli/controller_manager/controller_manager_flags.h"
#include "client/https/rest_config.h"
#include "component/memory_file.h"

namespace skiff {

struct ControllerManagerAccess {
  RestConfig main;
  RestConfig election;  // without a rate limit: renewing the lease must not wait for the loops
  // Whom to ask about those who ask; none: neither a kubeconfig nor the cluster of a pod.
  std::optional<RestConfig> authentication;
  std::optional<RestConfig> authorization;
};

// kInvalid when nothing says where the API server is.
Result<ControllerManagerAccess> FindAccess(const ControllerManagerCommandLine& line);

// The options of the loops with the files read that flags name. Without --root-ca-file the CA is
// the one that this process itself believes.
Result<ControllerOptions> LoadLoopOptions(const ControllerManagerCommandLine& line,
                                          const RestConfig& main);

// A certificate to serve with.
struct ServingFiles {
  TlsCertificateFiles files;
  // Of a certificate that is made for this run.
  std::optional<MemoryFile> certificate;
  std::optional<MemoryFile> key;
};
Result<ServingFiles> FindServingCertificate(const ControllerManagerCommandLine& line, Clock& clock);

}  // namespace skiff
