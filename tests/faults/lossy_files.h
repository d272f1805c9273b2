// A planted fault: files whose syncs lie. What RocksDB appends to its write-ahead log stays in the
// process until there is a good deal of it, so a kill loses writes that were acknowledged. The
// crash tests must notice.
#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace skiff::testing {

std::shared_ptr<rocksdb::FileSystem> MakeLossyFiles();

}  // namespace skiff::testing
