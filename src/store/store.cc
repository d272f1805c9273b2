#include "store/store.h"

#include <utility>

namespace skiff::store {

KeyRange KeyRange::Prefix(std::string_view prefix) {
  KeyRange range{std::string(prefix), std::string(prefix)};
  while (!range.end.empty()) {
    const auto last = static_cast<unsigned char>(range.end.back());
    if (last != 0xff) {
      range.end.back() = static_cast<char>(last + 1);
      break;
    }
    range.end.pop_back();
  }
  return range;
}

KeyRange KeyRange::Single(std::string_view key) {
  return {std::string(key), std::string(key) + '\0'};
}

Transaction Transaction::CreateIfAbsent(std::string key, SharedBytes value, LeaseId lease) {
  return UpdateIfRevision(std::move(key), Revision(), std::move(value), lease);
}

Transaction Transaction::UpdateIfRevision(std::string key, Revision expected, SharedBytes value,
                                          LeaseId lease) {
  Transaction out;
  out.conditions.push_back({key, expected});
  out.writes.push_back({Write::Kind::kPut, std::move(key), std::move(value), lease});
  return out;
}

Transaction Transaction::DeleteIfRevision(std::string key, Revision expected) {
  Transaction out;
  out.conditions.push_back({key, expected});
  out.writes.push_back({Write::Kind::kDelete, std::move(key), {}, {}});
  return out;
}

}  // namespace skiff::store
