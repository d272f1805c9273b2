// What the machine says about itself: its address, its name, and who listens on a port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/host_facts.h"
#include "base/ip_address.h"
#include "base/status.h"

namespace skiff::cli {

// The address by which packets to the outside leave, IPv4 before IPv6, and the host's name.
HostFacts FindHostFacts();

// Lets the process have as many files and connections open as it may ask for, makes writing to a
// connection that has gone, or beyond the limit of file sizes, an error instead of an end, passes
// over signals that mean nothing to it, and keeps the files that it makes from others (umask),
// unless whoever makes one says otherwise.
void PrepareToServe();

// The last of these alone: for who makes a store and serves nobody.
void KeepNewFilesPrivate();

// Whether a server could listen there now. If not, the error says why, who listens there as far as
// that can be found out, and what to do: `remedy` ends the sentence ("choose another with --port").
// Port zero is always free.
Result<void> CheckPortFree(const IpAddress& address, uint16_t port, const std::string& remedy);

// "nginx (pid 4711)"; nothing when /proc does not tell, such as for another user's process.
std::optional<std::string> FindListener(uint16_t port);

}  // namespace skiff::cli
