// The conditions in which a terminating namespace says how far its deletion has come, and what is
// in its way. Types, reasons and messages are those that Kubernetes users look for.
//
//   NamespaceDeletionDiscoveryFailure            not all that is served is known
//   NamespaceDeletionGroupVersionParsingFailure  a group and version that cannot be understood
//   NamespaceDeletionContentFailure              some objects could not be deleted
//   NamespaceContentRemaining                    objects that are still there, by resource
//   NamespaceFinalizersRemaining                 what they wait for, by finalizer
//
// All five are always written: "False" says that this is not in the way.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "object/scalar/time.h"
#include "object/value.h"

namespace skiff::controllers {

// What one look at the contents of a namespace has found.
struct NamespaceFindings {
  std::string discovery_failure = {};  // empty: there was none
  std::string parsing_failure = {};
  std::vector<std::string> content_failures = {};
  // Objects that are left: of a resource ("configmaps." or "deployments.apps"), with a finalizer.
  std::map<std::string, int64_t> remaining = {};
  std::map<std::string, int64_t> finalizers = {};

  bool failed() const {
    return !discovery_failure.empty() || !parsing_failure.empty() || !content_failures.empty();
  }
  // All failures in one line, for the log.
  std::string Failures() const;
};

// How a discovery is described that did not reach these groups and versions.
std::string IncompleteDiscovery(const std::vector<std::string>& unavailable);

// Writes the conditions into a Namespace; false when they already say so. A condition keeps the
// time of its last transition as long as its status stays.
bool SetNamespaceConditions(const NamespaceFindings& findings, object::Timestamp now,
                            object::Document& name_space);

}  // namespace skiff::controllers
