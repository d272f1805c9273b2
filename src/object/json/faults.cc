#include "object/json/faults.h"

#include <algorithm>
#include <utility>

namespace skiff::object {

TextPosition PositionInText(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // 0 when there is none
  return {static_cast<uint32_t>(1 + std::ranges::count(before, '\n')),
          static_cast<uint32_t>(1 + before.size() - line_start)};
}

TextPosition JsonFaults::PositionOf(size_t offset) const {
  return options_.positions != nullptr ? options_.positions->PositionOf(offset)
                                       : PositionInText(text_, offset);
}

void JsonFaults::Report(FieldIssue::Kind kind, const PathNode& path, size_t offset) {
  if (options_.issues == nullptr || options_.issues->size() >= limits::kMaxFieldIssues) return;
  AddFieldIssue(options_.issues, kind, path.ToString(), PositionOf(offset));
}

bool JsonFaults::Fail(size_t offset, std::string message, const PathNode& path) {
  if (message_.empty()) {
    message_ = std::move(message);
    offset_ = offset;
    path_ = path.ToString();
  }
  return false;
}

bool JsonFaults::Syntax(const PathNode& path) {
  const JsonError& error = cursor_.error();
  if (error.offset >= text_.size()) return Fail(error.offset, kUnexpectedEnd, PathNode());
  return Fail(error.offset, error.message != nullptr ? error.message : "not JSON", path);
}

bool JsonFaults::TooDeep() {
  // A path would be as long as the nesting is deep.
  return Fail(cursor_.offset(), "the value is nested too deeply", PathNode());
}

bool JsonFaults::Expected(std::string_view what, JsonKind got, const PathNode& path) {
  if (got == JsonKind::kInvalid) {
    cursor_.SkipValue(0);  // fails, and says why
    return Syntax(path);
  }
  return Fail(cursor_.offset(),
              "expected " + std::string(what) + ", got " + std::string(JsonKindName(got)), path);
}

Status JsonFaults::MakeStatus() {
  if (message_.empty()) Syntax(PathNode());
  Status status(StatusReason::kBadRequest, message_);
  if (!path_.empty()) {
    status.AddCause({.reason = "FieldValueInvalid", .message = message_, .field = path_});
  }
  status.SetPosition(PositionOf(offset_));
  return status;
}

}  // namespace skiff::object
