#include "apiserver/admission/lookups.h"

namespace skiff::apiserver {

ResourceStorage* StorageOf(const PluginContext& context, std::string_view group,
                           std::string_view resource) {
  const object::ResourceDesc* desc = object::FindPreferredResource(group, resource);
  return desc != nullptr ? context.storages.Find(desc->hub) : nullptr;
}

std::optional<object::Document> DecodeNow(ResourceStorage* storage, std::string_view name_space,
                                          std::string_view name) {
  const store::EntryRef entry = FindInCache(storage, name_space, name);
  if (!entry) return std::nullopt;
  Result<object::Document> object = DecodeStored(entry->value().view(), entry->revision());
  if (!object) return std::nullopt;
  return std::move(*object);
}

bool IsMadeIn(const store::Transaction& transaction, const ResourceStorage& storage,
              std::string_view name_space, std::string_view name) {
  if (transaction.writes.empty()) return false;
  const std::string key = storage.Key(name_space, name);
  for (const store::Write& write : transaction.writes) {
    if (write.kind == store::Write::Kind::kPut && write.key == key) return true;
  }
  return false;
}

}  // namespace skiff::apiserver
