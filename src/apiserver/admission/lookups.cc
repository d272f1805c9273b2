#include "apiserver/admission/lookups.h"

namespace skiff {

ResourceStorage* StorageOf(const PluginContext& context, std::string_view group,
                           std::string_view resource) {
  const ResourceDesc* desc = FindPreferredResource(group, resource);
  return desc != nullptr ? context.storages.Find(desc->hub) : nullptr;
}

std::optional<Document> DecodeNow(ResourceStorage* storage, std::string_view name_space,
                                  std::string_view name) {
  const EntryRef entry = FindInCache(storage, name_space, name);
  if (!entry) return std::nullopt;
  Result<Document> object = DecodeStored(entry->value().view(), entry->revision());
  if (!object) return std::nullopt;
  return std::move(*object);
}

bool IsMadeIn(const Transaction& transaction, const ResourceStorage& storage,
              std::string_view name_space, std::string_view name) {
  if (transaction.writes.empty()) return false;
  const std::string key = storage.Key(name_space, name);
  for (const Write& write : transaction.writes) {
    if (write.kind == Write::Kind::kPut && write.key == key) return true;
  }
  return false;
}

}  // namespace skiff
