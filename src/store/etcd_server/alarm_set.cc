#include "store/etcd_server/alarm_set.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/strings.h"
#include "base/temporary_name.h"
#include "net/unique_fd.h"

namespace skiff::store {
namespace {

using etcdserverpb::AlarmType;

constexpr std::array kTypes = {etcdserverpb::NOSPACE, etcdserverpb::CORRUPT};

std::unexpected<Status> FileFault(const std::string& path, std::string_view what) {
  return Fail(StatusReason::kInternalError, path + ": " + std::string(what));
}

std::optional<AlarmSet::Alarm> ParseLine(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  AlarmSet::Alarm alarm;
  const auto type = std::ranges::find(kTypes, line.substr(0, space), AlarmName);
  if (type == kTypes.end()) return std::nullopt;
  alarm.type = *type;
  const std::string_view number = line.substr(space + 1);
  const char* const end = number.data() + number.size();
  const auto [at, error] = std::from_chars(number.data(), end, alarm.member);
  if (error != std::errc() || at != end) return std::nullopt;
  return alarm;
}

}  // namespace

std::string_view AlarmName(AlarmType alarm) {
  switch (alarm) {
    case etcdserverpb::NOSPACE:
      return "NOSPACE";
    case etcdserverpb::CORRUPT:
      return "CORRUPT";
    default:
      return "NONE";
  }
}

Result<void> AlarmSet::Load() {
  if (path_.empty() || !std::filesystem::exists(path_)) return {};
  std::ifstream file(path_);
  std::string line;
  while (std::getline(file, line)) {
    const std::optional<Alarm> alarm = ParseLine(line);
    if (!alarm) return FileFault(path_, "there is no alarm " + Quoted(line) + "; remove the line");
    alarms_.insert(*alarm);
  }
  if (file.bad() || !file.eof()) return FileFault(path_, "cannot be read");
  return {};
}

std::vector<AlarmSet::Alarm> AlarmSet::List() const {
  std::lock_guard lock(mutex_);
  return {alarms_.begin(), alarms_.end()};
}

bool AlarmSet::Has(AlarmType type) const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(alarms_, [&](const Alarm& alarm) { return alarm.type == type; });
}

Result<void> AlarmSet::Raise(const Alarm& alarm) {
  std::lock_guard lock(mutex_);
  return alarms_.insert(alarm).second ? Save() : Result<void>();
}

Result<void> AlarmSet::Clear(const Alarm& alarm) {
  std::lock_guard lock(mutex_);
  return alarms_.erase(alarm) > 0 ? Save() : Result<void>();
}

Result<void> AlarmSet::Save() const {
  if (path_.empty()) return {};
  std::string text;
  for (const Alarm& alarm : alarms_)
    text += std::string(AlarmName(alarm.type)) + " " + std::to_string(alarm.member) + "\n";
  std::string temporary = TemporaryNameBeside(path_);
  const net::UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return FileFault(path_, std::strerror(errno));
  const bool done = write(file.get(), text.data(), text.size()) == ssize_t(text.size()) &&
                    fsync(file.get()) == 0 && rename(temporary.c_str(), path_.c_str()) == 0;
  if (!done) {
    const int error = errno;
    unlink(temporary.c_str());
    return FileFault(path_, std::strerror(error));
  }
  const std::string folder = std::filesystem::path(path_).parent_path();
  const net::UniqueFd directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || fsync(directory.get()) != 0) return FileFault(folder, std::strerror(errno));
  return {};
}

}  // namespace skiff::store
