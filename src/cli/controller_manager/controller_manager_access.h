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

namespace skiff::cli {

struct ControllerManagerAccess {
  client::RestConfig main;
  client::RestConfig
      election;  // without a rate limit: renewing the lease must not wait for the loops
  // Whom to ask about those who ask; none: neither a kubeconfig nor the cluster of a pod.
  std::optional<client::RestConfig> authentication;
  std::optional<client::RestConfig> authorization;
};

// kInvalid when nothing says where the API server is.
Result<ControllerManagerAccess> FindAccess(const ControllerManagerCommandLine& line);

// The options of the loops with the files read that flags name. Without --root-ca-file the CA is
// the one that this process itself believes.
Result<controllers::ControllerOptions> LoadLoopOptions(const ControllerManagerCommandLine& line,
                                                       const client::RestConfig& main);

// A certificate to serve with.
struct ServingFiles {
  net::TlsCertificateFiles files;
  // Of a certificate that is made for this run.
  std::optional<component::MemoryFile> certificate;
  std::optional<component::MemoryFile> key;
};
Result<ServingFiles> FindServingCertificate(const ControllerManagerCommandLine& line, Clock& clock);

}  // namespace skiff::cli
