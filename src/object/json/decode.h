// JSON text → Document.
//
// With a MessageDesc the result is a typed tree that keeps value.h's invariants: names become
// fields, every value is checked against its type, quantities are canonical. Without one it is an
// untyped tree of maps, lists and scalars. What Go's decoder does for Kubernetes is done here too:
// null leaves a field unset, names match in case, a later duplicate wins (objects and maps merge),
// fields that the type does not have are skipped.
#pragma once

#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/status.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::object {

// The message of a text that ends before its value does.
inline constexpr const char* kUnexpectedEnd = "unexpected end of JSON input";

// Tells where offsets of a JSON text stand in the text that it was made from, such as YAML.
class TextPositions {
 public:
  virtual ~TextPositions() = default;
  virtual TextPosition PositionOf(size_t json_offset) const = 0;
};

struct DecodeOptions {
  // Unknown and duplicate fields go here; null: nobody wants to know.
  std::vector<FieldIssue>* issues = nullptr;
  // For errors and issues; null: positions in the JSON text itself.
  const TextPositions* positions = nullptr;
  size_t max_bytes = limits::kMaxDocumentBytes;
  // The text outlives the document, whose strings may point into it.
  bool borrow_text = false;
};

// `type` may be null. An error is a BadRequest with the path and position of the fault.
Result<Document> DecodeJson(std::string_view text, const MessageDesc* type,
                            const DecodeOptions& options = {});

// apiVersion and kind at the top of an object, without decoding the rest. Absent ones are empty.
struct TypeMeta {
  std::string api_version;
  std::string kind;
};
Result<TypeMeta> PeekTypeMeta(std::string_view json);

}  // namespace skiff::object
