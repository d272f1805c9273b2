#include "cel/values/regex.h"

#include <re2/re2.h>

#include "base/utf8.h"
#include "cel/values/regex_syntax.h"

namespace skiff::cel {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool IsWithinCharacter(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

Regex::Regex(std::unique_ptr<re2::RE2> program) : program_(std::move(program)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::Compile(std::string_view pattern) {
  SKIFF_ASSIGN_OR_RETURN(const std::string translated, TranslateGoRegex(pattern));
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMaxRegexProgramBytes);
  auto program = std::make_unique<re2::RE2>(Piece(translated), options);
  if (!program->ok()) {
    // All other faults have been found already.
    return BadRequest("error parsing regexp: expression too large: `" + std::string(pattern) + "`");
  }
  return Regex(std::move(program));
}

bool Regex::Matches(std::string_view text) const {
  return re2::RE2::PartialMatch(Piece(text), *program_);
}

std::string_view Regex::Find(std::string_view text) const {
  re2::StringPiece found;
  if (!program_->Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, &found, 1)) return {};
  return {found.data(), found.size()};
}

std::vector<std::string_view> Regex::FindAll(std::string_view text, int64_t limit) const {
  std::vector<std::string_view> out;
  size_t at = 0;
  const char* last_end = nullptr;
  while (at <= text.size() && (limit < 0 || out.size() < static_cast<uint64_t>(limit))) {
    re2::StringPiece found;
    if (!program_->Match(Piece(text), at, text.size(), re2::RE2::UNANCHORED, &found, 1)) break;
    const auto begin = static_cast<size_t>(found.data() - text.data());
    const char* const end = found.data() + found.size();
    // Nothing is not found just behind a match, nor (by \B) within a character.
    if (!found.empty() || (found.data() != last_end && !IsWithinCharacter(text, begin))) {
      out.emplace_back(found.data(), found.size());
    }
    last_end = end;
    if (!found.empty()) {
      at = begin + found.size();
    } else {
      const size_t step = begin < text.size()
                              ? Utf8SequenceLength(text.data() + begin, text.data() + text.size())
                              : 1;
      at = begin + (step == 0 ? 1 : step);
    }
  }
  return out;
}

}  // namespace skiff::cel
