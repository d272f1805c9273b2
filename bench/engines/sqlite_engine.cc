// SQLite: write-ahead log, synchronous=FULL (every commit syncs the log), one connection that locks
// the file for itself. Free pages go back to the file system by incremental vacuum.
#include <array>

#include <sqlite3.h>

#include "bench/engines/engine.h"

namespace skiff::bench::engines {
namespace {

std::string_view Blob(sqlite3_stmt* statement, int column) {
  return {static_cast<const char*>(sqlite3_column_blob(statement, column)),
          static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

class SqliteEngine : public Engine {
 public:
  ~SqliteEngine() override {
    for (auto* statement : statements_) sqlite3_finalize(statement);
    sqlite3_close(db_);
  }

  Outcome Open(const std::string& dir) override {
    const std::string path = dir + "/data.sqlite";
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) return Broken();
    for (const char* sql :
         {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA auto_vacuum=INCREMENTAL",
          "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA cache_size=-4000",
          "CREATE TABLE IF NOT EXISTS log(rev INTEGER PRIMARY KEY, key BLOB, value BLOB)",
          "CREATE TABLE IF NOT EXISTS idx(key BLOB PRIMARY KEY, rev INTEGER) WITHOUT ROWID"}) {
      if (auto done = Execute(sql); !done) return done;
    }
    constexpr std::array<const char*, kStatements> kSql = {
        "INSERT INTO log VALUES(?1, ?2, ?3)",
        "INSERT INTO idx VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET rev=excluded.rev",
        "SELECT value FROM idx JOIN log ON log.rev=idx.rev WHERE idx.key=?1",
        "SELECT log.rev, log.key, value FROM idx LEFT JOIN log ON log.rev=idx.rev "
        "WHERE idx.key>=?1 ORDER BY idx.key LIMIT ?2",
        "SELECT rev, key, value FROM log ORDER BY rev",
        "DELETE FROM log WHERE rev=?1"};
    for (size_t i = 0; i < kStatements; ++i) {
      if (sqlite3_prepare_v2(db_, kSql[i], -1, &statements_[i], nullptr) != SQLITE_OK) {
        return Broken();
      }
    }
    return {};
  }

  Outcome Commit(std::span<const Write> writes) override {
    return InTransaction([&]() -> Outcome {
      for (const Write& write : writes) {
        Bind(kInsert, 1, write.revision);
        Bind(kInsert, 2, write.key);
        Bind(kInsert, 3, write.value);
        if (auto done = RunOnce(kInsert); !done) return done;
        Bind(kPoint, 1, write.key);
        Bind(kPoint, 2, write.revision);
        if (auto done = RunOnce(kPoint); !done) return done;
      }
      return {};
    });
  }

  std::expected<std::string, std::string> Get(std::string_view key) override {
    Bind(kGet, 1, key);
    const int code = sqlite3_step(statements_[kGet]);
    std::string value;
    if (code == SQLITE_ROW) value = Blob(statements_[kGet], 0);
    sqlite3_reset(statements_[kGet]);
    if (code != SQLITE_ROW) return Fail(code == SQLITE_DONE ? "not found" : sqlite3_errmsg(db_));
    return value;
  }

  Outcome Range(std::string_view from, size_t limit, const Visit& visit) override {
    Bind(kRange, 1, from);
    Bind(kRange, 2, limit);
    return VisitRows(kRange, visit);
  }

  Outcome Scan(const Visit& visit) override { return VisitRows(kScan, visit); }

  Outcome Forget(std::span<const uint64_t> revisions) override {
    return InTransaction([&]() -> Outcome {
      for (const uint64_t revision : revisions) {
        Bind(kDelete, 1, revision);
        if (auto done = RunOnce(kDelete); !done) return done;
      }
      return {};
    });
  }

  Outcome Reclaim() override {
    if (auto done = Execute("PRAGMA incremental_vacuum"); !done) return done;
    return Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

 private:
  enum Statement : size_t { kInsert, kPoint, kGet, kRange, kScan, kDelete, kStatements };

  std::unexpected<std::string> Broken() const { return Fail(sqlite3_errmsg(db_)); }
  Outcome Execute(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Broken();
    return {};
  }
  // An empty text with a null pointer would be bound as NULL.
  void Bind(Statement which, int at, std::string_view text) {
    sqlite3_bind_blob(statements_[which], at, text.empty() ? "" : text.data(),
                      static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void Bind(Statement which, int at, uint64_t number) {
    sqlite3_bind_int64(statements_[which], at, static_cast<sqlite3_int64>(number));
  }
  Outcome RunOnce(Statement which) {
    const int code = sqlite3_step(statements_[which]);
    sqlite3_reset(statements_[which]);
    if (code != SQLITE_DONE) return Broken();
    return {};
  }
  Outcome VisitRows(Statement which, const Visit& visit) {
    sqlite3_stmt* statement = statements_[which];
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      visit(static_cast<uint64_t>(sqlite3_column_int64(statement, 0)), Blob(statement, 1),
            Blob(statement, 2));
    }
    sqlite3_reset(statement);
    if (code != SQLITE_DONE) return Broken();
    return {};
  }
  template <typename Work>
  Outcome InTransaction(Work work) {
    if (auto done = Execute("BEGIN IMMEDIATE"); !done) return done;
    Outcome done = work();
    if (done) done = Execute("COMMIT");
    if (!done) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
    return done;
  }

  sqlite3* db_ = nullptr;
  std::array<sqlite3_stmt*, kStatements> statements_{};
};

}  // namespace

const Adapter kAdapter = {"sqlite", {"wal"}, [](const std::string&) {
                            return std::unique_ptr<Engine>(new SqliteEngine());
                          }};

}  // namespace skiff::bench::engines
