// Runs recorded cases: expressions with what Kubernetes' own CEL answered.
//
// A file has one JSON record a line: id, kind, input and `expect`. Kinds that are no business of
// CEL alone are skipped. contexts.json beside a file holds variables that many records share.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::cel {

struct CaseCounts {
  size_t passed = 0;
  size_t failed = 0;
  size_t skipped = 0;
};

class CaseRunner {
 public:
  // Told of each case that differs, and how; of what is no case, by its file and line.
  using Report = std::function<void(std::string_view id, std::string_view what)>;
  explicit CaseRunner(Report report) : report_(std::move(report)) {}

  // Cases that differ for a reason that somebody wrote down: they are skipped.
  void Expect(std::string_view id) { expected_.emplace(id); }
  Result<CaseCounts> RunFile(const std::string& path);

 private:
  void RunRecord(const object::Value& record, const object::Value& contexts,
                 const std::string& path, size_t line, CaseCounts& counts);
  Result<void> ReadContexts(const std::string& folder);

  Report report_;
  std::set<std::string, std::less<>> expected_;
  std::map<std::string, std::shared_ptr<const object::Document>> contexts_;  // by folder
};

// What differs; empty: nothing.
std::string RunEscapeCase(const object::Value& record);

}  // namespace skiff::cel
