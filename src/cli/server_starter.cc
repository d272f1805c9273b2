#include "cli/server_starter.h"

namespace skiff {
namespace {

ServerStarter chosen = nullptr;

}  // namespace

void SetServerStarter(ServerStarter starter) { chosen = starter; }

ServerStarter ChosenServerStarter() { return chosen; }

}  // namespace skiff
