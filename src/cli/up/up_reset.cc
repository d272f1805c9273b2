// `skiff reset`: removes a cluster, and nothing that is not its own.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/up/up_commands.h"
#include "cli/up/up_directory.h"

namespace skiff::cli {
namespace {

namespace fs = std::filesystem;

// The embedded store marks its directory with this file before it makes any other.
constexpr const char* kStoreMark = "OWNER";

class ResetRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    DeclareDataDir(flags, &data_dir_);
    flags.Add({.name = "yes", .letter = 'y', .help = "do not ask", .value = Switch(&yes_)});
  }

  int Run() override {
    const Result<std::string> done = Reset();
    if (done) return PrintText(*done + "\n");
    std::fprintf(stderr, "skiff reset: %s\n", done.error().message().c_str());
    return kExitFailure;
  }

 private:
  Result<std::string> Reset() {
    SKIFF_ASSIGN_OR_RETURN(const UpDirectory place, UpDirectory::Find(data_dir_));
    if (!place.exists()) return "there is no cluster in " + place.root();
    const bool is_ours = fs::exists(place.pid_file()) || fs::exists(place.pki_directory());
    if (!is_ours) {
      return BadRequest(place.root() +
                        " is not a data directory of 'skiff up'; nothing is removed");
    }
    SKIFF_ASSIGN_OR_RETURN(const std::optional<pid_t> owner, place.Owner());
    if (owner) return StillRuns(place, *owner);
    if (!yes_) SKIFF_RETURN_IF_ERROR(Ask(place));
    {
      // Nobody starts it meanwhile.
      SKIFF_ASSIGN_OR_RETURN(const UpLock lock, UpLock::Take(place));
      SKIFF_RETURN_IF_ERROR(RemoveStore(place));
      for (const std::string& path : place.pki().Files()) RemoveFile(path);
      RemoveFile(place.kubeconfig());
      RemoveFile(place.running_file());
      RemoveFile(place.log_file());
      RemoveFile(place.old_log_file());
      rmdir(place.pki_directory().c_str());
      RemoveFile(place.pid_file());
    }
    if (!failed_.empty()) return BadRequest("cannot remove " + failed_);
    rmdir(place.root().c_str());
    std::string out = "removed the cluster in " + place.root();
    if (const std::string left = WhatIsLeft(place); !left.empty()) {
      out += "; left there, as skiff did not make it: " + left;
    }
    return out;
  }

  static std::unexpected<Status> StillRuns(const UpDirectory& place, pid_t pid) {
    return BadRequest("the cluster in " + place.root() + " runs (pid " + std::to_string(pid) +
                      "); stop it first with '" + place.CommandFor("down") + "'");
  }

  static Result<void> Ask(const UpDirectory& place) {
    if (isatty(STDIN_FILENO) == 0) {
      return BadRequest("this removes all data in " + place.root() +
                        "; give --yes, as there is nobody to ask");
    }
    std::fprintf(stderr,
                 "Remove the cluster in %s with all its data? Type yes: ", place.root().c_str());
    std::array<char, 16> answer{};
    if (std::fgets(answer.data(), answer.size(), stdin) == nullptr ||
        std::strcmp(answer.data(), "yes\n") != 0) {
      return BadRequest("nothing is removed");
    }
    return {};
  }

  Result<void> RemoveStore(const UpDirectory& place) {
    const fs::path store = place.store();
    std::error_code error;
    if (!fs::exists(store, error)) return {};
    if (!fs::exists(store / kStoreMark, error) && !fs::is_empty(store, error)) {
      return BadRequest(store.string() + " is not a store of skiff's; nothing is removed");
    }
    fs::remove_all(store, error);
    if (error) failed_ = store.string() + ": " + error.message();
    return {};
  }

  void RemoveFile(const std::string& path) {
    std::error_code error;
    fs::remove(path, error);
    if (error && failed_.empty()) failed_ = path + ": " + error.message();
  }

  static std::string WhatIsLeft(const UpDirectory& place) {
    std::string out;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(place.root(), error)) {
      out += (out.empty() ? "" : ", ") + entry.path().filename().string();
    }
    return out;
  }

  std::string data_dir_;
  bool yes_ = false;
  std::string failed_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeReset() { return std::make_unique<ResetRun>(); }

}  // namespace skiff::cli
