#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"
#include "cli/store/store_commands.h"
#include "cli/store/store_location.h"
#include "cli/store/store_text.h"

namespace skiff::cli {
namespace {

enum class InspectFormat : uint8_t { kTable, kJson, kYaml };
constexpr FlagChoice<InspectFormat> kFormats[] = {{"table", InspectFormat::kTable},
                                                  {"json", InspectFormat::kJson},
                                                  {"yaml", InspectFormat::kYaml}};

// Adds up what a scan brings, by resource, and looks for keys that hold the object of another.
class ResourceSink final : public store::ScanSink {
 public:
  ResourceSink(std::string prefix, store::ProgressFunction progress)
      : prefix_(std::move(prefix)), progress_(std::move(progress)) {}

  void OnEntries(std::vector<store::KeyValue> entries) override {
    for (const store::KeyValue& entry : entries) {
      std::string name = ResourceOfKey(prefix_, entry.key);
      if (resources_.size() >= limits::kMaxInspectedKinds && !resources_.contains(name)) {
        name = "(others)";
      }
      ResourceFigures& figures = resources_[name];
      ++figures.keys;
      figures.bytes += entry.key.size() + entry.value.size();
      ++total.keys;
      total.bytes += entry.key.size() + entry.value.size();
      std::optional<MisplacedKey> found = FindMisplaced(prefix_, entry);
      if (found && misplaced++ < limits::kMaxShownCopyFaults) {
        misplaced_keys.push_back(std::move(*found));
      }
    }
    if (progress_) progress_({total.keys, 0, total.bytes});
  }

  // The largest first.
  std::vector<ResourceFigures> Sorted() const {
    std::vector<ResourceFigures> out;
    for (const auto& [name, figures] : resources_) {
      out.push_back(figures);
      out.back().name = name;
    }
    std::ranges::stable_sort(out, std::greater(), &ResourceFigures::bytes);
    return out;
  }

  ResourceFigures total;
  uint64_t misplaced = 0;
  std::vector<MisplacedKey> misplaced_keys;

 private:
  const std::string prefix_;
  const store::ProgressFunction progress_;
  std::map<std::string, ResourceFigures> resources_;
};

class StoreInspectRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    DeclareLocation(flags, &place_, LocationKinds::kStoresAndBackups);
    DeclarePrefix(flags, &prefix_, "what the keys of resources begin with");
    flags.Add({.name = "output",
               .letter = 'o',
               .placeholder = "FORMAT",
               .help = "the form to print in",
               .value = OneOf(&format_, kFormats)});
    flags.Add({.name = "verify",
               .help = "read and check everything; takes as long as reading all files does",
               .value = Switch(&verify_)});
    flags.Add({.name = "show-secrets",
               .help = "show the values of secrets",
               .value = Switch(&show_secrets_)});
    flags.Take({.placeholder = "KEY", .max = 1, .target = &keys_});
  }

  Result<void> Check() override {
    SKIFF_RETURN_IF_ERROR(CheckLocation(place_, LocationKinds::kStoresAndBackups));
    if (keys_.empty() && show_secrets_) return BadRequest("--show-secrets goes with a KEY");
    if (!keys_.empty() && verify_) return BadRequest("--verify is for the whole, not for a KEY");
    return {};
  }

  int Run() override {
    LongOperation work("skiff store inspect");
    const Result<std::string> json = keys_.empty() ? TellAll(work) : TellOne(work);
    work.ClearLine();
    if (!json) return StoreFailure("inspect", json.error());
    const int printed = PrintText(*json);
    if (is_sound_ || !verify_ || printed != 0) return printed;
    return StoreFailure("inspect",
                        Status(StatusReason::kInternalError,
                               place_.Shown() + " has keys that hold objects of another "
                                                "name, which cannot be read or deleted"));
  }

 private:
  Result<std::string> TellAll(LongOperation& work) {
    SystemRandom random;
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<LocationReader> reader,
                           OpenForReading(place_, {&work.clock(), &random}));
    StoreSummary summary;
    summary.place = place_.Shown();
    if (verify_) {
      const Result<Verdict> verdict = reader->Verify(work.Step("verifying"));
      if (!verdict) return NamePlace(verdict.error());
      if (verdict->damaged > 0) return TellDamage(work, *verdict);
      summary.verified = verdict->sound;
    }
    ResourceSink sink(KeyPrefix(prefix_), work.Step("reading"));
    const Result<store::Revision> revision = reader->Scan(store::KeyRange::All(), &sink);
    if (!revision) return NamePlace(revision.error());
    const Result<LocationFigures> figures = reader->Figures();
    if (!figures) return NamePlace(figures.error());
    summary.figures = *figures;
    summary.total = sink.total;
    summary.resources = sink.Sorted();
    summary.misplaced = sink.misplaced;
    summary.misplaced_keys = std::move(sink.misplaced_keys);
    is_sound_ = summary.misplaced == 0;
    if (format_ == InspectFormat::kTable) return SummaryTable(summary);
    return Finish(SummaryJson(summary));
  }

  // Every place that is damaged, on a line of its own.
  std::unexpected<Status> TellDamage(LongOperation& work, const Verdict& verdict) const {
    work.ClearLine();
    for (const std::string& each : verdict.damage) {
      std::fprintf(stderr, "damaged: %s\n", Printable(each).c_str());
    }
    return AtPlace(place_, Status(StatusReason::kInternalError,
                                  "the store is damaged in " + std::to_string(verdict.damaged) +
                                      (verdict.damaged == 1 ? " place" : " places") +
                                      "; 'skiff store salvage' makes a sound store of what can be "
                                      "read, with a backup at hand also of the rest"));
  }

  Result<std::string> TellOne(LongOperation& work) {
    SystemRandom random;
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<LocationReader> reader,
                           OpenForReading(place_, {&work.clock(), &random}));
    Result<std::optional<store::KeyValue>> entry = reader->Get(keys_[0]);
    if (!entry) return NamePlace(entry.error());
    if (!*entry) {
      return Fail(StatusReason::kNotFound,
                  place_.Shown() + " has no key " + Quoted(keys_[0]) +
                      (keys_[0].starts_with('/') ? "" : "; keys begin with " + Quoted("/")));
    }
    std::optional<store::LeaseInfo> lease;
    if ((*entry)->lease.value != 0) {
      if (Result<store::LeaseInfo> found = reader->FindLease((*entry)->lease)) lease = *found;
    }
    const EntrySummary summary{**entry, lease, show_secrets_, KeyPrefix(prefix_)};
    if (format_ == InspectFormat::kTable) return EntryTable(summary);
    return Finish(EntryJson(summary));
  }

  Result<std::string> Finish(const std::string& json) const {
    return format_ == InspectFormat::kYaml ? JsonAsYaml(json) : Result<std::string>(Pretty(json));
  }

  std::unexpected<Status> NamePlace(const Status& status) const {
    // Most errors of a place name it themselves.
    if (status.message().find(place_.Shown()) != std::string::npos) return std::unexpected(status);
    return AtPlace(place_, status);
  }

  StoreLocation place_;
  std::string prefix_ = "/registry";
  InspectFormat format_ = InspectFormat::kTable;
  bool verify_ = false;
  bool show_secrets_ = false;
  std::vector<std::string> keys_;
  bool is_sound_ = true;
};

}  // namespace

std::unique_ptr<CommandRun> MakeStoreInspect() { return std::make_unique<StoreInspectRun>(); }

}  // namespace skiff::cli
