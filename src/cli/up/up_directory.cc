#include "cli/up/up_directory.h"

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include "object/json/decode.h"
#include "object/value.h"
#include "pki/files.h"

namespace skiff::cli {
namespace {

// "": not set, or set to nothing.
std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string HomeDirectory() {
  std::string home = FromEnvironment("HOME");
  if (!home.empty()) return home;
  const passwd* const entry = getpwuid(geteuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "";
}

std::optional<pid_t> ReadPid(int fd) {
  std::array<char, 32> text;
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  pid_t pid = 0;
  if (size <= 0) return std::nullopt;
  const auto parsed = std::from_chars(text.data(), text.data() + size, pid);
  if (parsed.ec != std::errc() || pid <= 0) return std::nullopt;
  return pid;
}

std::string TextAt(const object::Value& object, std::string_view name) {
  const object::Value* const found = object.Find(name);
  return found != nullptr && found->is_string() ? std::string(found->AsText()) : "";
}

}  // namespace

void DeclareDataDir(FlagSet& flags, std::string* target) {
  FlagValue value = Text(target);
  value.set = [target](std::string_view text) -> Result<void> {
    if (text.empty()) return BadRequest("the name of the directory is empty");
    *target = text;
    return {};
  };
  flags.Add({.name = "data-dir",
             .placeholder = "DIR",
             .help = "where the cluster is kept",
             .completes = Completes::kDirectories,
             .value = std::move(value)});
}

Result<UpDirectory> UpDirectory::Find(const std::string& data_dir) {
  std::string root = !data_dir.empty() ? data_dir : FromEnvironment("SKIFF_DATA_DIR");
  if (root.empty() && geteuid() == 0) root = "/var/lib/skiff";
  if (root.empty()) {
    const std::string data_home = FromEnvironment("XDG_DATA_HOME");
    const std::string home = HomeDirectory();
    // The specification has relative paths ignored.
    if (data_home.starts_with('/')) {
      root = data_home + "/skiff";
    } else if (!home.empty()) {
      root = home + "/.local/share/skiff";
    }
  }
  if (root.empty()) return BadRequest("there is no home directory; say where with --data-dir");
  // What runs detached must not depend on where it was started.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(root, error);
  if (error) return BadRequest("cannot find out where " + root + " is: " + error.message());
  std::string normal = absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return UpDirectory(std::move(normal));
}

bool UpDirectory::exists() const {
  struct stat found {};
  return stat(root_.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Result<std::optional<pid_t>> UpDirectory::Owner() const {
  const int fd = open(pid_file().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (fd < 0) return pki::FileError("cannot open", pid_file());
  const bool is_free = flock(fd, LOCK_SH | LOCK_NB) == 0;
  std::optional<pid_t> pid;
  if (!is_free) pid = ReadPid(fd).value_or(0);
  close(fd);
  return pid;
}

Result<void> UpDirectory::WriteRunning(const RunningState& state) const {
  // None of these holds anything that JSON would have to escape.
  const std::string text = "{\"pid\": " + std::to_string(state.pid) + ", \"server\": \"" +
                           state.server + "\", \"version\": \"" + state.version +
                           "\", \"startedAt\": \"" + state.started_at + "\"}\n";
  return pki::WriteSmallFile(running_file(), text, pki::kPublicFileMode);
}

Result<RunningState> UpDirectory::ReadRunning() const {
  SKIFF_ASSIGN_OR_RETURN(const std::string text, pki::ReadSmallFile(running_file()));
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, object::DecodeJson(text, nullptr));
  RunningState state;
  if (!document.root().is_map()) return BadRequest(running_file() + " is damaged");
  const object::Value* const pid = document.root().Find("pid");
  if (pid != nullptr && pid->tag() == object::Tag::kInt)
    state.pid = static_cast<pid_t>(pid->AsInt());
  state.server = TextAt(document.root(), "server");
  state.version = TextAt(document.root(), "version");
  state.started_at = TextAt(document.root(), "startedAt");
  return state;
}

std::string UpDirectory::CommandFor(std::string_view name) const {
  std::string out = "skiff " + std::string(name);
  const Result<UpDirectory> usual = Find("");
  if (!usual || usual->root() != root_) out += " --data-dir " + root_;
  return out;
}

Result<UpLock> UpLock::Take(const UpDirectory& place) {
  constexpr const char* kRemedy = "; choose another with --data-dir, or run as its owner";
  if (Result<void> made = pki::MakeDirectories(place.root(), 0700); !made) {
    return BadRequest("the data directory cannot be used: " + made.error().message() + kRemedy);
  }
  const int fd = open(place.pid_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    const Status error = pki::FileError("cannot write", place.pid_file()).error();
    return BadRequest("the data directory cannot be used: " + error.message() + kRemedy);
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::optional<pid_t> pid = ReadPid(fd);
    close(fd);
    return Fail(StatusReason::kConflict, "a cluster already runs in " + place.root() +
                                             (pid ? " (pid " + std::to_string(*pid) + ")" : "") +
                                             ": see '" + place.CommandFor("status") +
                                             "', stop it with '" + place.CommandFor("down") +
                                             "', or choose another directory with --data-dir");
  }
  UpLock lock(fd);
  const std::string text = std::to_string(getpid()) + "\n";
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return pki::FileError("cannot write", place.pid_file());
  }
  return lock;
}

UpLock::UpLock(UpLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

UpLock::~UpLock() {
  if (fd_ < 0) return;
  // The file stays: were it removed, another process could lock one that has no name any more.
  if (ftruncate(fd_, 0) != 0) {
    // Nobody reads the number without the lock.
  }
  close(fd_);
}

}  // namespace skiff::cli
