#include "apiserver/managed_fields/apply_configuration.h"

#include <utility>

#include "apiserver/convert/normalize.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/managed_fields/last_applied.h"
#include "apiserver/managed_fields/managers.h"
#include "apiserver/managed_fields/prune.h"
#include "object/fields/check.h"
#include "object/fields/fields_v1.h"
#include "object/fields/members.h"
#include "object/fields/merge.h"
#include "object/fields/retype.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";
// What the sets of an object of usual size take.
constexpr size_t kArenaBytes = 48 * 1024;

std::string_view TextAt(const object::Value& root, std::initializer_list<std::string_view> path) {
  const object::Value* found = root.FindPath(path);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

// "/v1, Kind=ConfigMap", "apps/v1, Kind=Deployment".
std::string GroupVersionKindText(const object::Document& config) {
  const std::string_view version = config.api_version();
  std::string out;
  if (version.find('/') == std::string_view::npos) out += '/';
  return out + std::string(version) + ", Kind=" + std::string(config.kind());
}

// "default/x; apps/v1, Kind=Deployment".
std::string SubjectText(const object::Document& config) {
  return std::string(TextAt(config.root(), {"metadata", "namespace"})) + "/" +
         std::string(TextAt(config.root(), {"metadata", "name"})) + "; " +
         GroupVersionKindText(config);
}

// One apply under way.
class ApplyRun {
 public:
  ApplyRun(const DefaultPlans& defaults, const FieldWriter& writer, const object::Document& live,
           const object::Document& config)
      : defaults_(defaults),
        writer_(writer),
        live_(live),
        config_(config),
        self_(EntryOf(writer, true)),
        reset_(arena_, writer.storage, writer.subresource),
        converter_(writer.conversions) {}

  Result<object::Document> Run(bool force) {
    SKIFF_RETURN_IF_ERROR(Check());
    SKIFF_RETURN_IF_ERROR(ReadManagers());
    SKIFF_RETURN_IF_ERROR(Merge());
    VersionedChanges changes(arena_, converter_, reset_, live(), result_);
    if (changed_) SKIFF_RETURN_IF_ERROR(Settle(changes, force));
    return Finish();
  }

 private:
  VersionedValue live() const { return {live_.root(), live_.type()}; }

  Result<void> Check() {
    const object::MessageDesc* type = live_.type();
    if (config_.api_version() != writer_.api_version || config_.kind() != type->name) {
      return BadRequest("invalid object type: " + GroupVersionKindText(config_));
    }
    if (const object::Value* given = config_.root().FindPath({"metadata", "managedFields"});
        given != nullptr && !given->is_null()) {
      return BadRequest("metadata.managedFields must be nil");
    }
    const object::ConfigurationFields read = object::ReadConfigurationFields(
        arena_, object::FieldShape::OfMessage(type), config_.root());
    if (!read.faults.empty()) {
      return Fail(StatusReason::kUnknown, "failed to create typed patch object (" +
                                              SubjectText(config_) + "): " + read.faults);
    }
    wanted_ = reset_.Apply(arena_, read.fields);
    return {};
  }

  Result<void> ReadManagers() {
    Result<ManagedFields> read = ManagedFields::Read(
        arena_, ManagedFieldsOf(live_), live_.type()->name, ManagedFields::Trust::kStored);
    if (!read) {
      return Fail(StatusReason::kUnknown,
                  "failed to decode managed fields: " + read.error().message());
    }
    managed_ = std::move(*read);
    if (!managed_.empty()) return {};
    // What is there without an owner belongs to whoever came before.
    const object::Document nothing = object::Document::OfType(live_.type());
    VersionedChanges all(arena_, converter_, reset_, {nothing.root(), nothing.type()}, live());
    FieldWriter before = writer_;
    before.manager = kBeforeFirstApply;
    GiveChangesTo(arena_, before, all, managed_);
    return {};
  }

  // The object as it would be, and what the manager then owns.
  Result<void> Merge() {
    const object::FieldShape shape = object::FieldShape::OfMessage(live_.type());
    const object::MergedValue merged =
        object::MergeConfiguration(arena_, shape, live_.root(), config_.root());
    changed_ = merged.changed;
    result_ = {merged.value, live_.type()};
    ManagedEntry* entry = managed_.Find(self_);
    if (entry != nullptr && OwnsTheSame(*entry)) return {};
    object::FieldSet last;
    std::string_view last_version;
    if (entry != nullptr) {
      last = entry->Fields(arena_);
      last_version = entry->api_version;
    } else {
      entry = &managed_.FindOrAdd(self_);
    }
    entry->api_version = writer_.api_version;
    entry->SetFields(wanted_);
    const bool drops = last_version != writer_.api_version || !object::IsSubset(last, wanted_);
    if (last.empty() || !drops) return {};
    Result<VersionedValue> pruned =
        Prune(arena_, converter_, result_, managed_, last, last_version);
    if (!pruned) {
      return Fail(StatusReason::kUnknown, "failed to prune fields: " + pruned.error().message());
    }
    result_ = *pruned;
    changed_ = !object::SameInJson(arena_, shape, live_.root(), result_.value);
    return {};
  }

  // Whether the manager applied just these fields before: mostly so, and told by their text.
  bool OwnsTheSame(const ManagedEntry& entry) {
    if (entry.api_version != writer_.api_version || entry.text().empty()) return false;
    ByteBuffer text;
    object::AppendFieldsV1(text, object::Difference(arena_, wanted_, UnownedFields()));
    return text.view() == entry.text();
  }

  // Takes what changes from its owners, if they may be asked.
  Result<void> Settle(VersionedChanges& changes, bool force) {
    std::vector<FieldConflict> conflicts;
    if (!force) conflicts = ConflictsWith(arena_, changes, managed_, &self_);
    if (!conflicts.empty() && writer_.manager == kKubectlManager) {
      const object::FieldSet allowed =
          LastAppliedFields(arena_, last_applied_, live(), writer_.api_version);
      for (FieldConflict& conflict : conflicts) {
        conflict.fields = object::Difference(arena_, conflict.fields, allowed);
      }
      std::erase_if(conflicts, [](const FieldConflict& each) { return each.fields.empty(); });
    }
    if (!conflicts.empty()) return std::unexpected(ConflictError(std::move(conflicts)));
    TakeChanges(arena_, changes, managed_, &self_);
    return {};
  }

  Result<object::Document> Finish() {
    ManagedEntry& entry = managed_.FindOrAdd(self_);
    if (entry.text().empty()) {
      entry.SetFields(object::Difference(arena_, entry.Fields(arena_), UnownedFields()));
    }
    if (changed_) entry.time = writer_.now;
    managed_.DropEmpty(arena_);
    Result<object::Document> object =
        changed_ ? object::Retype(live_.type(), result_.value) : live_.Copy();
    if (!object) {
      return Fail(StatusReason::kUnknown, "failed to convert new object (" + SubjectText(config_) +
                                              ") to proper version: " + object.error().message());
    }
    if (changed_) {
      if (const Result<void> done = DefaultAndNormalize(defaults_, *object); !done) {
        return Fail(StatusReason::kUnknown, "failed to convert to unversioned (" +
                                                SubjectText(config_) +
                                                "): " + done.error().message());
      }
    }
    managed_.Write(*object);
    if (writer_.manager == kKubectlManager) UpdateLastApplied(config_, *object);
    return object;
  }

  Arena arena_{kArenaBytes};
  const DefaultPlans& defaults_;
  const FieldWriter& writer_;
  const object::Document& live_;
  const object::Document& config_;
  ManagedEntry self_;
  ResetFields reset_;
  VersionConverter converter_;
  ManagedFields managed_;
  object::FieldSet wanted_;
  VersionedValue result_;
  bool changed_ = false;
  object::Document last_applied_;
};

}  // namespace

Result<object::Document> ApplyConfiguration(const DefaultPlans& defaults, const FieldWriter& writer,
                                            const object::Document& live,
                                            const object::Document& config, bool force) {
  return ApplyRun(defaults, writer, live, config).Run(force);
}

}  // namespace skiff::apiserver
