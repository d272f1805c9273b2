// YAML into JSON, the way Kubernetes reads manifests: a document is converted to JSON text, and
// that text is decoded. What a document means is what sigs.k8s.io/yaml's YAMLToJSON makes of it:
//
//   - plain scalars have YAML 1.1's types (resolve.h); infinities and NaN are errors;
//   - keys that are numbers or booleans become strings, others that are not strings are errors;
//   - `<<` merges where it stands: it replaces earlier keys of the mapping and yields to later;
//   - of a key that is there twice the last value counts, and the key is listed as a duplicate.
//
// The JSON is byte for byte what Go's json.Marshal prints: compact, keys sorted by their bytes,
// `<`, `>` and `&` escaped. Raw extensions keep that text, so it is visible to clients.
//
// Two deviations, both where Kubernetes loses data: keys that become the same string (1 and "1")
// count as duplicates, where Kubernetes keeps a random one; and in a stream, documents after `...`
// are read or refused, where Kubernetes passes over them in silence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/status.h"
#include "object/json/decode.h"

namespace skiff::object {

class YamlTreeParser;

// One document in the form of JSON, to be decoded with itself as DecodeOptions::positions.
class YamlJson : public TextPositions {
 public:
  std::string_view json() const { return json_.view(); }

  // Where in the YAML stands what the JSON has at this offset: the innermost key or value that
  // begins there or before. For what an alias stands for that is the anchor's place.
  TextPosition PositionOf(size_t json_offset) const override;

 private:
  friend class YamlJsonWriter;
  struct Place {
    size_t json_offset;
    TextPosition position;
  };

  ByteBuffer json_;
  std::vector<Place> places_;
};

struct YamlOptions {
  // Duplicate keys go here; null: nobody wants to know. Decoding the JSON finds none of them.
  std::vector<FieldIssue>* issues = nullptr;
  size_t max_bytes = limits::kMaxDocumentBytes;
  // The number of the text's first line, where the text is the rest of a longer one.
  uint32_t first_line = 1;
};

// The first document of the text, as the API server reads a body: what follows it is not looked
// at, and text without any document is null. Errors carry their position.
Result<YamlJson> YamlToJson(std::string_view yaml, const YamlOptions& options = {});

// The documents of a stream, as kubectl reads files: separated by lines that begin with `---`,
// on which only a comment may follow; documents that are empty, null or only comments are skipped.
class YamlStreamReader {
 public:
  // The text must outlive the reader; the options hold for each document of it.
  explicit YamlStreamReader(std::string_view text, const YamlOptions& options = {});
  ~YamlStreamReader();

  // The next document, or nothing at the end. After an error the reader is at its end.
  Result<std::optional<YamlJson>> Next();

 private:
  Result<std::optional<YamlJson>> NextOfPart();
  // Moves to the next part between separators; false at the end.
  Result<bool> NextPart();

  std::string_view rest_;
  uint32_t line_ = 1;  // of the first character of rest_
  YamlOptions options_;
  std::unique_ptr<YamlTreeParser> parser_;  // of the current part, if any
};

}  // namespace skiff::object
