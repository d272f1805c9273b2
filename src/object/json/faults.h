// What went wrong while a JSON text was decoded, with path and position: the first error, and the
// unknown and duplicate fields. Shared by the tree decoder and the JSON → protobuf transcoder, so
// that both say the same of the same text.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/path.h"

namespace skiff::object {

TextPosition PositionInText(std::string_view text, size_t offset);

class JsonFaults {
 public:
  JsonFaults(std::string_view text, JsonCursor& cursor, const DecodeOptions& options)
      : text_(text), cursor_(cursor), options_(options) {}

  // Each returns false, so that a reader can return it.
  bool Fail(size_t offset, std::string message, const PathNode& path);
  bool Syntax(const PathNode& path);  // what the cursor says
  bool TooDeep();
  bool Expected(std::string_view what, JsonKind got, const PathNode& path);

  void Report(FieldIssue::Kind kind, const PathNode& path, size_t offset);

  Status MakeStatus();

 private:
  TextPosition PositionOf(size_t offset) const;

  std::string_view text_;
  JsonCursor& cursor_;
  const DecodeOptions& options_;
  std::string message_;
  std::string path_;
  size_t offset_ = 0;
};

}  // namespace skiff::object
