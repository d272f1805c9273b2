#include "apiserver/extensions/schema/pattern_cache.h"

#include <iterator>
#include <utility>

#include <re2/re2.h>

#include "cel/values/regex_syntax.h"

namespace skiff::apiserver {
namespace {

std::unique_ptr<re2::RE2> Compile(const std::string& pattern, size_t max_bytes) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(static_cast<int64_t>(max_bytes));
  return std::make_unique<re2::RE2>(pattern, options);
}

}  // namespace

CompiledPattern::CompiledPattern(std::string_view pattern) {
  const Result<std::string> text = cel::TranslateGoRegex(pattern);
  if (!text) {
    problem_ = text.error().message();
    return;
  }
  expression_ = Compile(*text, PatternCache::kProgramBytes);
  if (expression_->error_code() == re2::RE2::ErrorPatternTooLarge) {
    is_large_ = true;
    expression_ = Compile(*text, PatternCache::kMaxProgramBytes);
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
