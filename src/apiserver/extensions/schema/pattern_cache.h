// Regular expressions of schemas, with the syntax and meaning that Go gives them.
//
// A schema holds the text of its patterns; compiled ones are shared by all schemas and kept while
// they are in use, the least recently used leaving first. So thousands of definitions cost no more
// than those whose objects are written. Matching takes time in proportion to the text, whatever the
// pattern; one whose program would be larger than kMaxProgramBytes counts as invalid.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace re2 {
class RE2;
}

namespace skiff::apiserver {

class CompiledPattern {
 public:
  explicit CompiledPattern(std::string_view pattern);
  ~CompiledPattern();
  CompiledPattern(const CompiledPattern&) = delete;
  CompiledPattern& operator=(const CompiledPattern&) = delete;

  // Whether it matches anywhere in the text. False of an invalid pattern.
  bool Matches(std::string_view text) const;
  // What is wrong with the pattern; empty if nothing is.
  const std::string& problem() const { return problem_; }
  // Its program needs more memory than most have in all.
  bool is_large() const { return is_large_; }

 private:
  std::unique_ptr<re2::RE2> expression_;
  std::string problem_;
  bool is_large_ = false;
};

class PatternCache {
 public:
  // What one pattern may take, its program and the states that matching finds: most are content
  // with the first, a few may be large.
  static constexpr size_t kProgramBytes = 512 * 1024;
  static constexpr size_t kMaxProgramBytes = 8 * 1024 * 1024;
  static constexpr size_t kMaxPatterns = 512;
  static constexpr size_t kMaxLargePatterns = 8;

  // Never null.
  std::shared_ptr<const CompiledPattern> Get(std::string_view pattern);
  size_t size() const;

 private:
  struct Kept {
    std::string text;
    std::shared_ptr<const CompiledPattern> pattern;
  };
  void DropOldest(bool large);

  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the most recently used first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_text_;
  size_t large_ = 0;
};

}  // namespace skiff::apiserver
