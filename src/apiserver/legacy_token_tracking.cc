#include "apiserver/legacy_token_tracking.h"

#include <utility>

#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kLastUsedLabel = "kubernetes.io/legacy-token-last-used";

Result<Change> WithLabel(const CurrentObject* current, const LegacyTokenUse& use) {
  Change out;
  if (current == nullptr) return out;
  SKIFF_ASSIGN_OR_RETURN(object::Document object, current->Decode());
  if (MetaOf(object).uid() != use.secret_uid) return out;
  for (const auto& [key, value] : views::core_v1::Secret(object).metadata().labels()) {
    if (key == kLastUsedLabel && value == use.date) return out;
  }
  views::core_v1::MutableSecret(object).mutable_metadata().put_labels(kLastUsedLabel, use.date);
  out.kind = Change::Kind::kWrite;
  out.object = std::move(object);
  return out;
}

}  // namespace

void RecordLegacyTokenUse(const LegacyTokenUse& use, const StorageSet& storages, Log& log) {
  ObjectChange change;
  change.storage = storages.Find(object::FindResource("", "v1", "secrets")->hub);
  if (change.storage == nullptr) return;
  change.name_space = use.name_space;
  change.name = use.secret;
  change.decide = [use](const CurrentObject* current) { return WithLabel(current, use); };
  ChangeObject(std::move(change), [use, &log](const Result<Changed>& done) {
    if (done) return;
    log.Warning("The last use of a token could not be noted",
                {{"secret", use.name_space + "/" + use.secret}, {"err", done.error().message()}});
  });
}

}  // namespace skiff::apiserver
