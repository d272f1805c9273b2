#include "store/etcd_server/convert.h"

namespace skiff::store {

bool IsSingleKey(std::string_view range_end) { return range_end.empty(); }

KeyRange RangeOf(std::string_view key, std::string_view range_end) {
  if (IsSingleKey(range_end)) return KeyRange::Single(key);
  if (range_end == std::string_view("\0", 1)) return {std::string(key), ""};
  // An end that is not greater must not become "no bound".
  return {std::string(key), std::string(range_end)};
}

void FillKeyValue(const KeyValue& from, mvccpb::KeyValue* to) {
  to->set_key(from.key);
  to->set_create_revision(from.create_revision.value);
  to->set_mod_revision(from.mod_revision.value);
  to->set_version(from.version);
  to->set_value(from.value.view().data(), from.value.size());
  to->set_lease(from.lease.value);
}

void FillEvent(const Event& from, mvccpb::Event* to) {
  mvccpb::KeyValue* entry = to->mutable_kv();
  if (from.kind == Event::Kind::kPut) {
    FillKeyValue(from.entry, entry);
  } else {
    to->set_type(mvccpb::Event::DELETE);
    entry->set_key(from.entry.key);
    entry->set_mod_revision(from.entry.mod_revision.value);
  }
  if (from.previous) FillKeyValue(*from.previous, to->mutable_prev_kv());
}

}  // namespace skiff::store
