// The objects of a file or stream, as kubectl reads them: JSON values one after the other, or YAML
// documents. Both come out as JSON text that is known to be valid, with the places of its parts in
// the input.
//
// Text whose first character is a brace or a bracket is read as JSON. If its first value is not
// JSON, it is tried as YAML, whose flow style looks the same; and where `---` follows a value, the
// rest is YAML.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/yaml/to_json.h"

namespace skiff::cli {

enum class ObjectFormat : uint8_t { kAuto, kJson, kYaml, kProtobuf };

// kJson, kYaml or kProtobuf, by the first bytes.
ObjectFormat DetectFormat(std::string_view bytes);

// Places in a text that is a part of a longer one.
class PartPositions : public object::TextPositions {
 public:
  PartPositions(std::string_view part, TextPosition start) : part_(part), start_(start) {}
  TextPosition PositionOf(size_t offset) const override;

 private:
  std::string_view part_;
  TextPosition start_;
  mutable std::vector<size_t> line_starts_;  // made when first asked for: most texts have no fault
};

class ObjectReader {
 public:
  struct Object {
    std::string_view json;
    const object::TextPositions* positions;  // of the JSON
    std::vector<object::FieldIssue> issues;  // that decoding the JSON will not find
    bool from_yaml;
  };

  // `format` is not kProtobuf. The text must outlive the reader.
  ObjectReader(std::string_view text, ObjectFormat format, size_t max_document_bytes);

  // The next object, valid until the next call, or nothing at the end. After an error the reader
  // is at its end.
  Result<std::optional<Object>> Next();

 private:
  Result<std::optional<Object>> NextJson();
  Result<std::optional<Object>> NextYaml();
  // Goes on with YAML from this offset.
  void SwitchToYaml(size_t offset);
  // Moves the mark to the offset, which is not before it.
  TextPosition PositionAt(size_t offset);

  std::string_view text_;
  bool may_be_yaml_;
  size_t max_document_bytes_;
  object::JsonCursor cursor_;
  size_t json_count_ = 0;
  bool done_ = false;

  size_t mark_ = 0;  // an offset whose position is known
  TextPosition mark_position_{1, 1};

  std::optional<PartPositions> part_;
  std::optional<object::YamlStreamReader> yaml_;
  std::optional<object::YamlJson> yaml_json_;
  std::vector<object::FieldIssue> yaml_issues_;
};

}  // namespace skiff::cli
