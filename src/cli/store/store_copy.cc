#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"
#include "cli/store/store_commands.h"
#include "cli/store/store_import.h"
#include "cli/store/store_location.h"
#include "store/backup_file.h"
#include "store/copy.h"

namespace skiff::cli {
namespace {

void DeclareTls(FlagSet& flags, const std::string& side, StoreLocation* place) {
  const std::string whose = side == "from" ? "the source's etcd" : "the target's etcd";
  flags.Add({.name = side + "-cafile",
             .placeholder = "FILE",
             .help = "the certificates that the one of " + whose + " is checked against",
             .completes = Completes::kFiles,
             .value = Text(&place->ca_file)});
  flags.Add({.name = side + "-certfile",
             .placeholder = "FILE",
             .help = "the certificate shown to " + whose,
             .completes = Completes::kFiles,
             .value = Text(&place->cert_file)});
  flags.Add({.name = side + "-keyfile",
             .placeholder = "FILE",
             .help = "the key of that certificate",
             .completes = Completes::kFiles,
             .value = Text(&place->key_file)});
}

// A place as --from and --to name it; the TLS files that it has already stay.
FlagValue PlaceValue(StoreLocation* place) {
  FlagValue value;
  value.set = [place](std::string_view text) -> Result<void> {
    SKIFF_ASSIGN_OR_RETURN(StoreLocation parsed, ParseLocation(text));
    place->data_dir = std::move(parsed.data_dir);
    place->etcd_servers = std::move(parsed.etcd_servers);
    return {};
  };
  return value;
}

// Whether they are one place, as far as names can tell.
bool IsSamePlace(const StoreLocation& a, const StoreLocation& b) {
  if (a.is_etcd() != b.is_etcd()) return false;
  if (!a.is_etcd()) return a.data_dir == b.data_dir;
  return std::ranges::find_first_of(a.etcd_servers, b.etcd_servers) != a.etcd_servers.end();
}

class StoreCopyRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags.Add({.name = "from",
               .placeholder = "STORE",
               .help = "the store to read: DIR, embedded:DIR or http(s)://...",
               .required = true,
               .completes = Completes::kFiles,
               .value = PlaceValue(&from_)});
    flags.Add({.name = "to",
               .placeholder = "STORE",
               .help = "the store to write, likewise",
               .required = true,
               .completes = Completes::kFiles,
               .value = PlaceValue(&to_)});
    DeclareTls(flags, "from", &from_);
    DeclareTls(flags, "to", &to_);
    DeclarePrefix(flags, &prefix_, "copy the keys under this prefix, '' for all");
    flags.Add({.name = "overwrite",
               .help = "replace what an etcd target has under the prefix, and remove what the "
                       "source does not have",
               .value = Switch(&overwrite_)});
    flags.Add({.name = "allow-changes",
               .help = "only warn if the source changes meanwhile; the copy is then of the moment "
                       "at which it began",
               .value = Switch(&allow_changes_)});
    flags.Add({.name = "temporary-dir",
               .placeholder = "DIR",
               .help = "where to put the temporary file",
               .completes = Completes::kDirectories,
               .value = Text(&temporary_dir_)});
  }

  Result<void> Check() override {
    SKIFF_RETURN_IF_ERROR(CheckSide("--from", from_));
    SKIFF_RETURN_IF_ERROR(CheckSide("--to", to_));
    if (IsSamePlace(from_, to_) && (!to_.is_etcd() || overwrite_)) {
      return BadRequest("--from and --to name the same store");
    }
    if (overwrite_ && !to_.is_etcd()) {
      return BadRequest(
          "--overwrite is for an etcd; an embedded store is copied to a new "
          "directory");
    }
    return {};
  }

  int Run() override {
    LongOperation work("skiff store copy");
    const Result<void> done = Copy(work);
    work.ClearLine();
    return done ? kExitSuccess : StoreFailure("copy", done.error());
  }

 private:
  static Result<void> CheckSide(std::string_view flag, const StoreLocation& place) {
    const Result<void> right = CheckLocation(place, LocationKinds::kStores);
    if (right) return {};
    return BadRequest(std::string(flag) + ": " + right.error().message());
  }

  Result<void> Copy(LongOperation& work) {
    const Duration begin = work.clock().Monotonic();
    const std::string prefix = KeyPrefix(prefix_);
    SystemRandom random;
    const StoreTools tools{&work.clock(), &random};
    // What is wrong with the target is told before anything is read.
    std::unique_ptr<store::Store> target;
    if (to_.is_etcd()) {
      SKIFF_ASSIGN_OR_RETURN(target, OpenEtcd(to_, tools));
    } else {
      SKIFF_RETURN_IF_ERROR(CheckNewDirectory(to_.data_dir));
      if (!from_.is_etcd()) SKIFF_RETURN_IF_ERROR(CheckOutside(to_.data_dir, from_.data_dir));
    }
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<LocationReader> source,
                           OpenForReading(from_, tools));

    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::NewBackupFile> file,
                           store::NewBackupFile::CreateUnnamed(temporary_dir_));
    store::BackupHeader header;
    header.prefix = prefix;
    SKIFF_RETURN_IF_ERROR(store::TakeBackup(*source, header, *file, work.Step("reading")));
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::ByteSource> bytes, file->ReadBack());
    SKIFF_ASSIGN_OR_RETURN(store::BackupReader reader, store::BackupReader::Open(*bytes));
    SKIFF_ASSIGN_OR_RETURN(const store::BackupIndex index,
                           store::BackupIndex::Build(*bytes, reader));

    uint64_t removed = 0;
    if (target != nullptr) {
      SKIFF_ASSIGN_OR_RETURN(removed, Load(index, *target, work));
      store::StoreSource written(*target);
      SKIFF_RETURN_IF_ERROR(Compare(index, written, begin, work));
      SKIFF_RETURN_IF_ERROR(CheckSource(index, *source, begin, work));
    } else {
      // A target that is no good never gets its name.
      const auto check = [&](const std::string& made) -> Result<void> {
        StoreLocation place;
        place.data_dir = made;
        SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<LocationReader> written,
                               OpenForReading(place, tools));
        SKIFF_RETURN_IF_ERROR(Compare(index, *written, begin, work));
        return CheckSource(index, *source, begin, work);
      };
      SKIFF_RETURN_IF_ERROR(ImportIntoNewDirectory(index, {to_.data_dir, 0, check}, work, random));
    }
    work.PrintOnSignal("");
    Tell(index, removed, work.clock().Monotonic() - begin, work);
    return WarnOfSmallRevision(index, target.get());
  }

  Result<uint64_t> Load(const store::BackupIndex& index, store::Store& target,
                        LongOperation& work) {
    work.PrintOnSignal("the target holds a part of the copy; copy again with --overwrite");
    store::LoadOptions options;
    options.prefix = KeyPrefix(prefix_);
    options.overwrite = overwrite_;
    options.progress = work.Step("writing");
    const Result<store::LoadReport> loaded = store::LoadBackup(index, target, options);
    if (loaded) return loaded->removed;
    const bool untouched = loaded.error().reason() == StatusReason::kAlreadyExists;
    return Fail(loaded.error().reason(),
                to_.Shown() + ": " + loaded.error().message() +
                    (untouched ? "; --overwrite replaces what is there"
                               : "; the target may hold a part of the copy: copy again with "
                                 "--overwrite"));
  }

  // Everything is read back and compared.
  Result<void> Compare(const store::BackupIndex& index, store::BackupSource& written,
                       Duration begin, LongOperation& work) {
    const Duration elapsed = work.clock().Monotonic() - begin;
    const Result<store::CompareReport> same = store::CompareWithBackup(
        index, written, KeyPrefix(prefix_), elapsed, work.Step("comparing"));
    if (!same) return AtPlace(to_, same.error());
    report_ = *same;
    return {};
  }

  Result<void> CheckSource(const store::BackupIndex& index, store::BackupSource& source,
                           Duration begin, LongOperation& work) {
    const Duration elapsed = work.clock().Monotonic() - begin;
    SKIFF_ASSIGN_OR_RETURN(const bool changed,
                           store::HasChangedSince(index, source, KeyPrefix(prefix_), elapsed));
    if (!changed) return {};
    const std::string what = from_.Shown() + " has changed since the copy of revision " +
                             std::to_string(index.end().revision.value) + " was begun";
    if (!allow_changes_) {
      return Fail(StatusReason::kConflict,
                  what + "; stop what writes to it (the API servers) and copy again" +
                      (to_.is_etcd() ? " with --overwrite" : "") +
                      ", or accept a copy of that moment with --allow-changes");
    }
    work.ClearLine();
    std::fprintf(stderr, "skiff store copy: warning: %s\n", what.c_str());
    return {};
  }

  void Tell(const store::BackupIndex& index, uint64_t removed, Duration took, LongOperation& work) {
    work.ClearLine();
    std::string text = "copied " + Grouped(index.end().entries) + " keys (" +
                       HumanBytes(index.end().key_bytes + index.end().value_bytes) + ") from " +
                       from_.Shown() + " to " + to_.Shown() + " and compared them";
    if (removed != 0) text += "; removed " + Grouped(removed) + " others";
    if (report_.expired != 0) text += "; " + Grouped(report_.expired) + " expired meanwhile";
    const double seconds = std::chrono::duration<double>(took).count();
    std::printf("%s (%.1f s)\n", text.c_str(), seconds);
  }

  // A target that counts its own revisions may stand before the source.
  static Result<void> WarnOfSmallRevision(const store::BackupIndex& index, store::Store* target) {
    if (target == nullptr) return {};
    SKIFF_ASSIGN_OR_RETURN(const store::Revision revision,
                           store::StoreSource(*target).CurrentRevision());
    if (revision >= index.end().revision) return {};
    std::fprintf(stderr,
                 "skiff store copy: note: the target is at revision %lld and the source at %lld; "
                 "restart clients that remember revisions of the source\n",
                 static_cast<long long>(revision.value),
                 static_cast<long long>(index.end().revision.value));
    return {};
  }

  StoreLocation from_, to_;
  std::string prefix_ = "/registry";
  bool overwrite_ = false;
  bool allow_changes_ = false;
  std::string temporary_dir_;
  store::CompareReport report_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeStoreCopy() { return std::make_unique<StoreCopyRun>(); }

}  // namespace skiff::cli
