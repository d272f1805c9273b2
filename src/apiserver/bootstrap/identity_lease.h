// The Lease by which an API server says that it lives, in kube-system, and the end of those whose
// servers do not.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/bootstrap/system_writer.h"
#include "base/status.h"

namespace skiff::apiserver {

// "apiserver-" and a digest of the host's name.
std::string ApiServerIdentity(std::string_view host_name);

// Used by the thread of Bootstrap alone.
class IdentityLease {
 public:
  IdentityLease(SystemWriter& writer, std::string host_name);

  // Makes the lease, or renews it.
  WantedObject Renewed();
  // Removes the leases of API servers that have not been renewed for as long as they say.
  Result<void> RemoveExpired();

 private:
  SystemWriter& writer_;
  const std::string host_name_;
  const std::string name_;
  const std::string holder_;
};

}  // namespace skiff::apiserver
