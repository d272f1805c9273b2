// Deletes objects whose owners are all gone, and sees deletions through that wait for dependents.
//
//   background  an object whose owners are all gone is deleted, with the propagation that its own
//               finalizers ask for
//   foreground  an owner with the finalizer foregroundDeletion stays until no dependent that blocks
//               it is left; its dependents are deleted
//   orphan      an owner with the finalizer orphan stays until no dependent refers to it any more
//
// What informers show (owner_graph.h) only says where to look. Before anything is deleted the
// server is asked for the object and for each of its owners, by uid; the deletion holds for that
// uid and state only. An owner counts as gone when there is nothing with its uid at its place, in
// the namespace of the dependent. When that cannot be told, because its kind is not served or does
// not answer, nothing is deleted.
#pragma once

#include <memory>

#include "controllers/controller.h"

namespace skiff::controllers {

std::unique_ptr<Controller> MakeGarbageCollector(ControllerContext context);

}  // namespace skiff::controllers
