// Paths to values in documents, as people write them:
//
//   spec.containers[0].image
//   spec.containers[name=web].ports[containerPort=80,protocol=TCP].hostPort
//   metadata.labels['app.kubernetes.io/name']     (the downward API's form)
//
// A step is a member's name, an index, or the keys of a list item with their values. A leading dot
// is allowed; names and key values that hold dots, brackets, quotes or spaces stand in single or
// double quotes, where a backslash takes the next character as it is. The empty path is the root.
//
// In a typed tree a path is checked against the descriptors even where nothing is set, so a wrong
// name is an error and not an absent value. Errors carry the path up to the step at fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

struct FieldPathStep {
  enum Kind : uint8_t { kMember, kIndex, kKeys };
  Kind kind = kMember;
  std::string name;                                       // of kMember
  uint32_t index = 0;                                     // of kIndex
  std::vector<std::pair<std::string, std::string>> keys;  // of kKeys: [name=web]
  friend bool operator==(const FieldPathStep&, const FieldPathStep&) = default;
};

class FieldPath {
 public:
  enum class Missing : uint8_t { kFail, kCreate };

  FieldPath() = default;
  static Result<FieldPath> Parse(std::string_view text);

  const std::vector<FieldPathStep>& steps() const { return steps_; }
  std::string ToString() const;

  // The value at the path; null when it is not set. An error when there can be none: an unknown
  // field, an index into what is no list, a step into a scalar.
  Result<const Value*> Get(const Value& root) const;
  // Puts a value there, whose memory is the document's arena. It is checked against the field's
  // type; a null takes the field away. With kCreate, objects, maps and lists on the way are made,
  // an index just past the end appends, and a list item that no key matches is added with them.
  Result<void> Set(Document& document, Value value, Missing missing = Missing::kFail) const;
  // False when there was nothing to delete.
  Result<bool> Delete(Document& document) const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;

 private:
  std::vector<FieldPathStep> steps_;
};

// Adds one step to the text of a path, with a dot or quotes where they are needed.
void AppendMember(std::string& path, std::string_view name);
void AppendIndex(std::string& path, size_t index);
void AppendStep(std::string& path, const FieldPathStep& step);

// The text of a member that serves as a key of list items: of a string, an integer or a boolean,
// "" of one that is not set. False when it is none of these.
bool ListKeyText(const Value& item, std::string_view key, std::string* out);

}  // namespace skiff::object
