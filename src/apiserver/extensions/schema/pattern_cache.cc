#include "apiserver/extensions/schema/pattern_cache.h"

#include <iterator>
#include <utility>

#include <re2/re2.h>

namespace skiff::apiserver {
namespace {

// Go takes (?<name>…) too, which our RE2 only knows as (?P<name>…).
std::string WithNamedGroups(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    out += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      out += pattern[++i];
    } else if (pattern[i] == '[') {
      in_class = true;
    } else if (pattern[i] == ']') {
      in_class = false;
    } else if (!in_class && pattern.substr(i).starts_with("(?<")) {
      out += "?P";
      ++i;
    }
  }
  return out;
}

std::unique_ptr<re2::RE2> Compile(const std::string& pattern, size_t max_bytes) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(static_cast<int64_t>(max_bytes));
  return std::make_unique<re2::RE2>(pattern, options);
}

}  // namespace

CompiledPattern::CompiledPattern(std::string_view pattern) {
  const std::string text = pattern.find("(?<") == std::string_view::npos ? std::string(pattern)
                                                                         : WithNamedGroups(pattern);
  expression_ = Compile(text, PatternCache::kProgramBytes);
  if (expression_->error_code() == re2::RE2::ErrorPatternTooLarge) {
    is_large_ = true;
    expression_ = Compile(text, PatternCache::kMaxProgramBytes);
  }
  if (expression_->ok()) return;
  problem_ = "error parsing regexp: " + expression_->error();
  expression_.reset();
}

CompiledPattern::~CompiledPattern() = default;

bool CompiledPattern::Matches(std::string_view text) const {
  if (expression_ == nullptr) return false;
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

std::shared_ptr<const CompiledPattern> PatternCache::Get(std::string_view pattern) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_text_.find(pattern); found != by_text_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return kept_.front().pattern;
    }
  }
  // Others may compile the same one meanwhile, which is as good.
  auto made = std::make_shared<const CompiledPattern>(pattern);
  const std::lock_guard lock(mutex_);
  if (const auto found = by_text_.find(pattern); found != by_text_.end()) {
    return found->second->pattern;
  }
  if (kept_.size() == kMaxPatterns) DropOldest(false);
  if (made->is_large() && large_ == kMaxLargePatterns) DropOldest(true);
  large_ += made->is_large() ? 1 : 0;
  kept_.push_front({std::string(pattern), made});
  by_text_.emplace(kept_.front().text, kept_.begin());
  return made;
}

void PatternCache::DropOldest(bool large) {
  for (auto at = kept_.rbegin(); at != kept_.rend(); ++at) {
    if (large && !at->pattern->is_large()) continue;
    large_ -= at->pattern->is_large() ? 1 : 0;
    by_text_.erase(at->text);
    kept_.erase(std::next(at).base());
    return;
  }
}

size_t PatternCache::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace skiff::apiserver
