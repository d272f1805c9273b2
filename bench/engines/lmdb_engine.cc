// LMDB: two named trees in one file; a commit is one transaction. Pages are copied on write, so a
// crash needs no recovery. The default syncs data and then the meta page; the nometasync variant
// saves the second sync and may lose the last commit at a power cut, which only a log before it
// could make good.
#include <lmdb.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bench/engines/engine.h"
#include "bench/engines/record.h"

namespace skiff::bench::engines {
namespace {

constexpr size_t kMapBytes = size_t{64} << 30;

MDB_val ToVal(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }
std::string_view ToView(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}
Outcome Check(int code) {
  if (code == 0) return {};
  return Fail(mdb_strerror(code));
}

// Aborted unless committed.
struct Txn {
  explicit Txn(MDB_env* env, unsigned flags) : code(mdb_txn_begin(env, nullptr, flags, &txn)) {}
  ~Txn() {
    if (txn != nullptr) mdb_txn_abort(txn);
  }
  int Commit() { return mdb_txn_commit(std::exchange(txn, nullptr)); }
  MDB_txn* txn = nullptr;
  int code;
};

class LmdbEngine : public Engine {
 public:
  explicit LmdbEngine(const std::string& variant)
      : flags_(variant == "nometasync" ? unsigned{MDB_NOMETASYNC} : 0u) {}
  ~LmdbEngine() override { Close(); }

  Outcome Open(const std::string& dir) override {
    dir_ = dir;
    int code = mdb_env_create(&env_);
    if (code == 0) code = mdb_env_set_maxdbs(env_, 2);
    if (code == 0) code = mdb_env_set_mapsize(env_, kMapBytes);
    if (code == 0) code = mdb_env_open(env_, dir.c_str(), flags_, 0644);
    if (code != 0) return Check(code);
    Txn txn(env_, 0);
    if (txn.code != 0) return Check(txn.code);
    code = mdb_dbi_open(txn.txn, "index", MDB_CREATE, &index_);
    if (code == 0) code = mdb_dbi_open(txn.txn, "log", MDB_CREATE | MDB_INTEGERKEY, &log_);
    if (code != 0) return Check(code);
    return Check(txn.Commit());
  }

  Outcome Commit(std::span<const Write> writes) override {
    Txn txn(env_, 0);
    int code = txn.code;
    for (const Write& write : writes) {
      if (code != 0) break;
      uint64_t revision = write.revision;
      MDB_val id = {sizeof(revision), &revision};
      MDB_val key = ToVal(write.key);
      MDB_val bytes = {2 + write.key.size() + write.value.size(), nullptr};
      code = mdb_put(txn.txn, log_, &id, &bytes, MDB_APPEND | MDB_RESERVE);
      if (code != 0) break;
      record_.clear();
      AppendRecord(write.key, write.value, &record_);
      std::memcpy(bytes.mv_data, record_.data(), record_.size());
      code = mdb_put(txn.txn, index_, &key, &id, 0);
    }
    if (code != 0) return Check(code);
    return Check(txn.Commit());
  }

  std::expected<std::string, std::string> Get(std::string_view key) override {
    Txn txn(env_, MDB_RDONLY);
    if (txn.code != 0) return Fail(mdb_strerror(txn.code));
    MDB_val k = ToVal(key), id, bytes;
    int code = mdb_get(txn.txn, index_, &k, &id);
    if (code == 0) code = mdb_get(txn.txn, log_, &id, &bytes);
    if (code != 0) return Fail(mdb_strerror(code));
    Record record;
    if (!ParseRecord(ToView(bytes), &record)) return Fail("bad record");
    return std::string(record.value);
  }

  Outcome Range(std::string_view from, size_t limit, const Visit& visit) override {
    Txn txn(env_, MDB_RDONLY);
    MDB_cursor* cursor = nullptr;
    int code = txn.code;
    if (code == 0) code = mdb_cursor_open(txn.txn, index_, &cursor);
    if (code != 0) return Check(code);
    MDB_val key = ToVal(from), id, bytes;
    code = mdb_cursor_get(cursor, &key, &id, from.empty() ? MDB_FIRST : MDB_SET_RANGE);
    for (; code == 0 && limit > 0; --limit) {
      code = mdb_get(txn.txn, log_, &id, &bytes);
      Record record;
      if (code != 0 || !ParseRecord(ToView(bytes), &record)) {
        mdb_cursor_close(cursor);
        return Fail(code != 0 ? "the index points nowhere" : "bad record");
      }
      uint64_t revision = 0;
      std::memcpy(&revision, id.mv_data, std::min(sizeof(revision), id.mv_size));
      visit(revision, record.key, record.value);
      code = mdb_cursor_get(cursor, &key, &id, MDB_NEXT);
    }
    mdb_cursor_close(cursor);
    return Check(code == MDB_NOTFOUND ? 0 : code);
  }

  Outcome Scan(const Visit& visit) override {
    Txn txn(env_, MDB_RDONLY);
    MDB_cursor* cursor = nullptr;
    int code = txn.code;
    if (code == 0) code = mdb_cursor_open(txn.txn, log_, &cursor);
    if (code != 0) return Check(code);
    MDB_val id, bytes;
    bool bad = false;
    while (!bad && (code = mdb_cursor_get(cursor, &id, &bytes, MDB_NEXT)) == 0) {
      Record record;
      uint64_t revision = 0;
      std::memcpy(&revision, id.mv_data, std::min(sizeof(revision), id.mv_size));
      bad = !ParseRecord(ToView(bytes), &record);
      if (!bad) visit(revision, record.key, record.value);
    }
    mdb_cursor_close(cursor);
    if (bad) return Fail("bad record");
    return Check(code == MDB_NOTFOUND ? 0 : code);
  }

  Outcome Forget(std::span<const uint64_t> revisions) override {
    Txn txn(env_, 0);
    int code = txn.code;
    for (uint64_t revision : revisions) {
      MDB_val id = {sizeof(revision), &revision};
      if (code == 0) code = mdb_del(txn.txn, log_, &id, nullptr);
    }
    if (code != 0) return Check(code);
    return Check(txn.Commit());
  }

  // The file never shrinks by itself: write a dense copy and put it in its place.
  Outcome Reclaim() override {
    const std::string copy = dir_ + "/copy";
    std::filesystem::create_directory(copy);
    if (int code = mdb_env_copy2(env_, copy.c_str(), MDB_CP_COMPACT); code != 0) return Check(code);
    Close();
    std::filesystem::rename(copy + "/data.mdb", dir_ + "/data.mdb");
    std::filesystem::remove(copy);
    return Open(dir_);
  }

 private:
  void Close() {
    if (env_ != nullptr) mdb_env_close(std::exchange(env_, nullptr));
  }

  unsigned flags_;
  std::string dir_;
  MDB_env* env_ = nullptr;
  MDB_dbi index_ = 0;
  MDB_dbi log_ = 0;
  std::string record_;
};

}  // namespace

const Adapter kAdapter = {"lmdb", {"sync", "nometasync"}, [](const std::string& variant) {
                            return std::unique_ptr<Engine>(new LmdbEngine(variant));
                          }};

}  // namespace skiff::bench::engines
