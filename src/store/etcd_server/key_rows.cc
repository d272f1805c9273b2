#include "store/etcd_server/key_rows.h"

#include <etcd_kv.pb.h>

namespace skiff::store {

std::string BigEndian(uint64_t number) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
  return out;
}

void MakeKeyRow(LogPosition position, const LogRecord& record, KeyRow* out) {
  out->key = BigEndian(static_cast<uint64_t>(position.revision));
  out->key += '_';
  out->key += BigEndian(position.op);
  mvccpb::KeyValue entry;
  entry.set_key(record.key.data(), record.key.size());
  if (record.kind == Write::Kind::kDelete) {
    out->key += 't';
  } else {
    entry.set_create_revision(record.create_revision);
    entry.set_mod_revision(position.revision);
    entry.set_version(record.version);
    entry.set_value(record.value.data(), record.value.size());
    entry.set_lease(record.lease.value);
  }
  out->value = entry.SerializeAsString();
}

}  // namespace skiff::store
