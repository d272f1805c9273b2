#include "cli/convert/object_reader.h"

#include <algorithm>

#include "object/protobuf/envelope.h"

namespace skiff::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

size_t FirstCharacter(std::string_view text) {
  const size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  return text.find_first_not_of(" \t\r\n", start);
}

}  // namespace

ObjectFormat DetectFormat(std::string_view bytes) {
  if (object::HasProtobufPrefix(bytes)) return ObjectFormat::kProtobuf;
  const size_t first = FirstCharacter(bytes);
  if (first == std::string_view::npos) return ObjectFormat::kYaml;
  return bytes[first] == '{' || bytes[first] == '[' ? ObjectFormat::kJson : ObjectFormat::kYaml;
}

TextPosition PartPositions::PositionOf(size_t offset) const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (size_t at = 0; (at = part_.find('\n', at)) != std::string_view::npos;) {
      line_starts_.push_back(++at);
    }
  }
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  const auto line = static_cast<uint32_t>(after - line_starts_.begin() - 1);
  const auto column = static_cast<uint32_t>(offset - line_starts_[line]);
  return {start_.line + line, column + (line == 0 ? start_.column : 1)};
}

ObjectReader::ObjectReader(std::string_view text, ObjectFormat format, size_t max_document_bytes)
    : text_(text),
      may_be_yaml_(format == ObjectFormat::kAuto),
      max_document_bytes_(max_document_bytes),
      cursor_(text) {
  const bool is_yaml =
      format == ObjectFormat::kYaml || (may_be_yaml_ && DetectFormat(text) == ObjectFormat::kYaml);
  if (is_yaml) {
    SwitchToYaml(0);
  } else if (text.starts_with(kByteOrderMark)) {
    text_.remove_prefix(kByteOrderMark.size());
    cursor_ = object::JsonCursor(text_);
  }
}

Result<std::optional<ObjectReader::Object>> ObjectReader::Next() {
  if (done_) return std::nullopt;
  auto next = yaml_ ? NextYaml() : NextJson();
  if (!next || !next->has_value()) done_ = true;
  return next;
}

Result<std::optional<ObjectReader::Object>> ObjectReader::NextJson() {
  cursor_.SkipSpace();
  if (cursor_.AtEnd()) return std::nullopt;
  const size_t start = cursor_.offset();
  if (may_be_yaml_ && json_count_ > 0 && text_.substr(start).starts_with("---")) {
    SwitchToYaml(start);
    return NextYaml();
  }
  const TextPosition position = PositionAt(start);
  if (!cursor_.SkipValue(0)) {
    Status error(StatusReason::kBadRequest, cursor_.error().message);
    error.SetPosition(PositionAt(std::max(cursor_.error().offset, start)));
    if (may_be_yaml_ && json_count_ == 0) {
      SwitchToYaml(start);
      auto as_yaml = NextYaml();
      if (as_yaml) return as_yaml;
    }
    return std::unexpected(std::move(error));
  }
  const std::string_view json = cursor_.TextFrom(start);
  if (json.size() > max_document_bytes_) {
    Status error(StatusReason::kRequestEntityTooLarge,
                 "the document is " + std::to_string(json.size()) +
                     " bytes long, more than the limit of " + std::to_string(max_document_bytes_));
    error.SetPosition(position);
    return std::unexpected(std::move(error));
  }
  ++json_count_;
  part_.emplace(json, position);
  return Object{.json = json, .positions = &*part_, .issues = {}, .from_yaml = false};
}

Result<std::optional<ObjectReader::Object>> ObjectReader::NextYaml() {
  yaml_issues_.clear();
  SKIFF_ASSIGN_OR_RETURN(yaml_json_, yaml_->Next());
  if (!yaml_json_) return std::nullopt;
  return Object{.json = yaml_json_->json(),
                .positions = &*yaml_json_,
                .issues = yaml_issues_,
                .from_yaml = true};
}

void ObjectReader::SwitchToYaml(size_t offset) {
  // Columns hold only from the beginning of a line.
  const size_t line_start = offset == 0 ? 0 : text_.rfind('\n', offset - 1) + 1;
  const bool only_space =
      text_.substr(line_start, offset - line_start).find_first_not_of(" \t\r") ==
      std::string_view::npos;
  const size_t from = only_space ? line_start : offset;
  const uint32_t first_line =
      1 + static_cast<uint32_t>(std::ranges::count(text_.substr(0, from), '\n'));
  yaml_.emplace(text_.substr(from), object::YamlOptions{.issues = &yaml_issues_,
                                                        .max_bytes = max_document_bytes_,
                                                        .first_line = first_line});
}

TextPosition ObjectReader::PositionAt(size_t offset) {
  const std::string_view between = text_.substr(mark_, offset - mark_);
  const size_t last_break = between.rfind('\n');
  if (last_break == std::string_view::npos) {
    mark_position_.column += static_cast<uint32_t>(between.size());
  } else {
    mark_position_.line += static_cast<uint32_t>(std::ranges::count(between, '\n'));
    mark_position_.column = static_cast<uint32_t>(between.size() - last_break);
  }
  mark_ = offset;
  return mark_position_;
}

}  // namespace skiff::cli
