// Deletes all that a namespace holds, resource by resource as discovery names them: pods first, and
// nothing else until they are gone, since what pods rely on (network policies, secrets) must not go
// before them.
//
// One pass deletes what can be deleted and counts what is left. Who calls it comes again later, as
// long as something is left or something failed. A resource that cannot be seen now (its group does
// not answer) counts as a failure: what is in it is not known.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/task.h"
#include "client/client.h"
#include "controllers/namespace_conditions.h"
#include "object/scalar/time.h"

namespace skiff::controllers {

struct NamespacePass {
  NamespaceFindings findings;
  // How long what is left may take to go, as far as one can tell; zero: nothing is left, or the
  // findings say what failed.
  int64_t estimate_seconds = 0;
};

Task<NamespacePass> DeleteNamespaceContents(client::Client client, Clock& clock,
                                            std::string name_space, object::Timestamp deleted_at);

}  // namespace skiff::controllers
