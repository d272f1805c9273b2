#include "component/memory_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <sys/mman.h>

namespace skiff::component {
namespace {

std::unexpected<Status> Failed(std::string_view attempt) {
  return Fail(StatusReason::kInternalError,
              "cannot " + std::string(attempt) +
                  " a file in memory: " + std::generic_category().message(errno));
}

}  // namespace

Result<MemoryFile> MemoryFile::Make(const std::string& label, std::string_view content) {
  net::UniqueFd fd(memfd_create(label.c_str(), MFD_CLOEXEC));
  if (fd.get() < 0) return Failed("make");
  MemoryFile file(std::move(fd));
  SKIFF_RETURN_IF_ERROR(file.Write(content));
  return file;
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

Result<void> MemoryFile::Write(std::string_view content) {
  if (ftruncate(fd_.get(), 0) != 0) return Failed("empty");
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t wrote =
        pwrite(fd_.get(), content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return Failed("write");
    done += static_cast<size_t>(wrote);
  }
  return {};
}

}  // namespace skiff::component
