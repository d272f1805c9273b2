// The rows of etcd's bucket `key`, made of the store's log: revision (8) '_' number within it (8),
// big-endian, and a 't' for deletions → the entry as a message of protobuf.
#pragma once

#include <string>
#include <string_view>

#include "store/embedded/record.h"

namespace skiff::store {

struct KeyRow {
  std::string key;
  std::string value;
};

// Replaces what is in `out`, whose memory is used again.
void MakeKeyRow(LogPosition position, const LogRecord& record, KeyRow* out);

// A number as etcd's keys have it.
std::string BigEndian(uint64_t number);

}  // namespace skiff::store
