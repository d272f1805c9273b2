// Which object stored bytes are: its kind, namespace and name, read from protobuf in its envelope
// or from JSON, without a document. Keys of stores end with namespace and name, and an object that
// says others than its key can be listed, but neither read nor deleted.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::object {

struct StoredIdentity {
  std::string api_version;
  std::string kind;
  std::string name_space;  // empty: in none
  std::string name;

  // How the object's key ends: NAMESPACE/NAME, or NAME.
  std::string KeyEnd() const;
};

// Members that the bytes do not have are empty. Fails with a bad request on bytes that are neither
// protobuf nor JSON, or that are broken before all is found.
Result<StoredIdentity> ReadStoredIdentity(std::string_view stored);

}  // namespace skiff::object
