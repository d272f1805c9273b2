// What the candidates for the embedded store have in common in this benchmark: the store's intended
// layout, nothing more. Each write adds a record to a log keyed by its revision and points the
// index entry of its key at that revision, in one atomic batch that is on disk when Commit returns.
//
// Each *_engine.cc is one adapter and makes one program, so that no candidate pays for the code and
// the start-up of another.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff::bench::engines {

using Outcome = std::expected<void, std::string>;

struct Write {
  std::string_view key;
  std::string_view value;
  uint64_t revision = 0;
};

using Visit = std::function<void(uint64_t revision, std::string_view key, std::string_view value)>;

// The destructor closes. Calls are not concurrent: the committer is the only one who writes, and
// the phases of the benchmark read after they wrote.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Outcome Open(const std::string& dir) = 0;
  virtual Outcome Commit(std::span<const Write> writes) = 0;
  // The current value of a key; a missing key is an error.
  virtual std::expected<std::string, std::string> Get(std::string_view key) = 0;
  // Current values in the order of keys.
  virtual Outcome Range(std::string_view from, size_t limit, const Visit& visit) = 0;
  // Every record in the order of revisions: what fills the watch cache at start.
  virtual Outcome Scan(const Visit& visit) = 0;
  // Removes superseded records, as compaction does.
  virtual Outcome Forget(std::span<const uint64_t> revisions) = 0;
  // Gives free space back to the file system as far as the engine can.
  virtual Outcome Reclaim() = 0;
};

// Defined by the adapter. The first variant is the one that all phases run on; the others run only
// the phases on which they differ.
struct Adapter {
  const char* name;
  std::vector<std::string> variants;
  std::unique_ptr<Engine> (*make)(const std::string& variant);
};
extern const Adapter kAdapter;

inline std::unexpected<std::string> Fail(std::string what) {
  return std::unexpected(std::move(what));
}

}  // namespace skiff::bench::engines
