// Sending without waiting, as connections do that an event loop tells when there is room again.
#pragma once

#include <string_view>

#include "net/unique_fd.h"

namespace skiff::net {

// Sends what the socket takes now and leaves the rest in `bytes`. False: the connection is broken,
// as errno says.
bool SendNow(const UniqueFd& socket, std::string_view& bytes);

}  // namespace skiff::net
