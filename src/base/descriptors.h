// File descriptors of this process. Connections may use up most of them, but never all: a store
// that cannot open its files is lost, while a client can come again.
#pragma once

#include <cstddef>
#include <optional>

namespace skiff {

// How many it may have (RLIMIT_NOFILE), and has; nothing where the system does not tell.
size_t MaxDescriptors();
std::optional<size_t> OpenDescriptors();

// How many of those that are free now connections may take, of `most`, with `open` of them in use.
size_t DescriptorsForConnections(size_t most, size_t open);
size_t DescriptorsForConnections();
// Whether a connection that the process itself opens leaves the store enough, by its descriptor,
// which is the lowest that was free. Such connections may take a few of those that clients leave.
bool LeavesEnoughForStore(int descriptor, size_t most);
bool LeavesEnoughForStore(int descriptor);
// How many files the store may keep open, which is within what connections leave.
int DescriptorsForStore(size_t most);

}  // namespace skiff
