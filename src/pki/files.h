// Small files that must never be seen half-written: keys, certificates, kubeconfigs.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/status.h"

namespace skiff::pki {

inline constexpr mode_t kSecretFileMode = 0600;
inline constexpr mode_t kPublicFileMode = 0644;

// The whole file, up to limits::kMaxSmallFileBytes. kNotFound when there is none; every error names
// the path.
Result<std::string> ReadSmallFile(const std::string& path);

// Replaces the file in one step, durably. It has the given mode whatever the umask is.
Result<void> WriteSmallFile(const std::string& path, std::string_view content, mode_t mode);

// Makes the directory, and those above it, unless it is there.
Result<void> MakeDirectories(const std::string& path, mode_t mode);

// "open /x/y: Permission denied", from errno.
std::unexpected<Status> FileError(std::string_view what, const std::string& path);

}  // namespace skiff::pki
