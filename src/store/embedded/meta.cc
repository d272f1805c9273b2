#include "store/embedded/meta.h"

#include <optional>
#include <string>

#include "base/strings.h"
#include "store/embedded/record.h"

namespace skiff::store {
namespace {

Result<std::optional<int64_t>> Load(Engine& engine, std::string_view name) {
  std::string bytes;
  SKIFF_ASSIGN_OR_RETURN(const bool found, engine.Get(Family::kMeta, name, &bytes));
  if (!found) return std::nullopt;
  SKIFF_ASSIGN_OR_RETURN(const int64_t number, DecodeMeta(name, bytes));
  return number;
}

Result<int64_t> Need(Engine& engine, std::string_view name) {
  SKIFF_ASSIGN_OR_RETURN(const std::optional<int64_t> number, Load(engine, name));
  if (number) return *number;
  return Fail(StatusReason::kInternalError, "the store is damaged: it does not hold its number " +
                                                Quoted(name) + "; restore it from a backup");
}

Result<StoreMeta> Create(Engine& engine, Random& random) {
  StoreMeta meta;
  meta.cluster = static_cast<int64_t>(random.Next() >> 1);
  const auto batch = engine.NewBatch();
  PutMeta(*batch, kMetaFormat, kStoreFormat);
  PutMeta(*batch, kMetaCluster, meta.cluster);
  PutMeta(*batch, kMetaRevision, meta.revision);
  PutMeta(*batch, kMetaCompacted, meta.compacted);
  PutMeta(*batch, kMetaKeys, meta.keys);
  SKIFF_RETURN_IF_ERROR(engine.Write(*batch));
  return meta;
}

}  // namespace

void PutMeta(EngineBatch& batch, std::string_view name, int64_t number) {
  batch.Put(Family::kMeta, name, EncodeMeta(name, number));
}

Result<bool> IsEmpty(Engine& engine) {
  const auto snapshot = engine.NewSnapshot();
  for (size_t family = 0; family < kFamilyCount; ++family) {
    const auto cursor = snapshot->NewCursor(static_cast<Family>(family));
    cursor->Seek("");
    if (cursor->Valid()) return false;
    SKIFF_RETURN_IF_ERROR(cursor->status());
  }
  return true;
}

Result<StoreMeta> LoadOrCreateMeta(Engine& engine, Random& random) {
  SKIFF_ASSIGN_OR_RETURN(const std::optional<int64_t> importing, Load(engine, kMetaImporting));
  if (importing) {
    return Fail(StatusReason::kServiceUnavailable,
                "an import into this store was begun and not finished; remove the directory and "
                "import again");
  }
  SKIFF_ASSIGN_OR_RETURN(const std::optional<int64_t> format, Load(engine, kMetaFormat));
  if (!format) {
    SKIFF_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(engine));
    if (is_empty) return Create(engine, random);
    return Fail(
        StatusReason::kInternalError,
        "the store holds data but no format version: it is damaged or not a store of Skiff; "
        "restore it from a backup");
  }
  if (*format != kStoreFormat) {
    return Fail(StatusReason::kServiceUnavailable,
                "the store has format version " + std::to_string(*format) +
                    ", and this version of Skiff knows format version " +
                    std::to_string(kStoreFormat) +
                    "; use the version of Skiff that wrote it, or a newer one");
  }
  StoreMeta meta;
  SKIFF_ASSIGN_OR_RETURN(meta.cluster, Need(engine, kMetaCluster));
  SKIFF_ASSIGN_OR_RETURN(meta.revision, Need(engine, kMetaRevision));
  SKIFF_ASSIGN_OR_RETURN(meta.compacted, Need(engine, kMetaCompacted));
  SKIFF_ASSIGN_OR_RETURN(meta.keys, Need(engine, kMetaKeys));
  if (meta.revision < 1 || meta.compacted < 0 || meta.compacted > meta.revision || meta.keys < 0) {
    return Fail(StatusReason::kInternalError, "the store is damaged: its revisions contradict (" +
                                                  std::to_string(meta.revision) + ", compacted " +
                                                  std::to_string(meta.compacted) +
                                                  "); restore it from a backup");
  }
  return meta;
}

}  // namespace skiff::store
