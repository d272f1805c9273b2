// Bytes as a stored object: what the watch cache reads from them without decoding must be what the
// decoded object holds, if it can be decoded. Without the prefix of protobuf the first byte tells
// the kind whose message, or JSON text, follows.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "object/field_path.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "store/cache/object_facts.h"

namespace skiff {
namespace {

struct Subject {
  const object::ResourceHub* hub;
  const object::MessageDesc* type;
  store::FactsReader reader;
};

const std::vector<Subject>& Subjects() {
  static const std::vector<Subject> subjects = [] {
    std::vector<Subject> out;
    const char* const kResources[][2] = {{"", "pods"},    {"", "events"},
                                         {"", "secrets"}, {"batch", "jobs"},
                                         {"", "nodes"},   {"resource.k8s.io", "resourceslices"}};
    for (const auto& [group, name] : kResources) {
      const object::ResourceHub& hub = *object::FindPreferredResource(group, name)->hub;
      out.push_back({&hub, hub.storage->stored, store::FactsReader::Make(hub).value()});
    }
    return out;
  }();
  return subjects;
}

std::string TextAt(const object::Value& object, const store::FactPath& path) {
  if (path.steps.empty()) return path.absent;
  const auto found = object::FieldPath::Parse(path.ToString()).value().Get(object);
  // An index past the end of a list.
  if (!found || *found == nullptr) return path.absent;
  switch ((*found)->tag()) {
    case object::Tag::kBool:
      return (*found)->AsBool() ? "true" : "false";
    case object::Tag::kInt:
      return std::to_string((*found)->AsInt());
    default:
      return std::string((*found)->AsText());
  }
}

std::string ExpectedField(const object::Value& object, const object::SelectableField& field) {
  const std::string own = "." + std::string(field.label);
  std::string text;
  const auto paths = store::ParseFactCell(field.cell.empty() ? own : field.cell).value();
  for (const store::FactPath& path : paths) {
    text = TextAt(object, path);
    if (!text.empty()) break;
  }
  return text;
}

void Require(bool holds) {
  if (!holds) std::abort();
}

void Compare(const Subject& subject, const store::ObjectFacts& facts, const object::Value& object) {
  for (const object::SelectableField& field : subject.hub->selectable) {
    const auto index = subject.reader.FindField(field.label);
    if (index) Require(facts.fields[*index] == ExpectedField(object, field));
  }
  const object::Value* const metadata = object.Find("metadata");
  const object::Value* const labels = metadata == nullptr ? nullptr : metadata->Find("labels");
  Require(facts.labels.size() == (labels == nullptr ? 0 : labels->size()));
  for (const object::LabelSet::Label& label : facts.labels) {
    const object::Value* const value = labels->Find(label.key);
    Require(value != nullptr && value->AsText() == label.value);
  }
}

void Check(const Subject& subject, std::string_view bytes) {
  store::ObjectFacts facts;
  const bool read = subject.reader.Read(bytes, facts).has_value();
  std::vector<object::FieldIssue> issues;
  const bool protobuf = object::HasProtobufPrefix(bytes);
  const auto object = protobuf ? object::DecodeStorage(bytes)
                               : object::DecodeJson(bytes, subject.type, {.issues = &issues});
  // Damage in what the reader passes over is left to the decoder; of duplicate names in JSON the
  // reader takes the last, where the decoder merges them.
  if (!object || object->type() != subject.type || !issues.empty()) return;
  // The decoder takes an envelope without an object for an empty one, and joins pieces of a
  // message before it reads them; neither is how objects are written.
  if (!read) {
    std::string again;
    if (protobuf) object::EncodeStorage(object->root(), &again);
    Require(protobuf && again != bytes);
    return;
  }
  Compare(subject, facts, object->root());
}

void Run(std::string_view input) {
  if (object::HasProtobufPrefix(input)) {
    for (const Subject& subject : Subjects()) Check(subject, input);
    return;
  }
  if (input.empty()) return;
  const Subject& subject = Subjects()[static_cast<uint8_t>(input[0]) % Subjects().size()];
  input.remove_prefix(1);
  if (input.starts_with('{')) {
    Check(subject, input);
    return;
  }
  std::string envelope;
  object::AppendProtobufEnvelope({.api_version = subject.type->group_version->api_version,
                                  .kind = subject.type->name,
                                  .raw = input},
                                 &envelope);
  Check(subject, envelope);
}

}  // namespace
}  // namespace skiff

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  skiff::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
