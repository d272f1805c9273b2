#include "apiserver/managed_fields/last_applied.h"

#include "base/limits.h"
#include "object/fields/check.h"
#include "object/fields/compare.h"
#include "object/fields/merge.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff {
namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

std::string_view AnnotationOf(const Value& object) {
  const Value* found = object.FindPath({"metadata", "annotations", kAnnotation});
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace

FieldSet LastAppliedFields(Arena& arena, Document& memory, const VersionedValue& live,
                           std::string_view api_version) {
  const std::string_view text = AnnotationOf(live.value);
  if (text.empty()) return {};
  Result<Document> applied = DecodeJson(text, nullptr);
  if (!applied || applied->api_version() != api_version) return {};
  memory = std::move(*applied);
  const FieldShape shape = live.shape();
  const ConfigurationFields read = ReadConfigurationFields(arena, shape, memory.root());
  if (!read.faults.empty()) return {};
  const FieldChanges changes = CompareFields(arena, shape, memory.root(), live.value);
  FieldSet out = Difference(arena, read.fields, changes.modified);
  out = Difference(arena, out, changes.added);
  return Difference(arena, out, changes.removed);
}

void UpdateLastApplied(const Document& config, Document& object) {
  if (AnnotationOf(object.root()).empty()) return;
  Document copy = config.Copy();
  if (Value* meta = copy.root().Find("metadata"); meta != nullptr && meta->is_map()) {
    if (Value* annotations = meta->Find("annotations");
        annotations != nullptr && annotations->is_map()) {
      annotations->Erase(kAnnotation);
    }
  }
  Value* annotations = object.root().Find("metadata")->Find("annotations");
  const std::string text = EncodeJson(copy.root()) + "\n";
  annotations->SetEntry(object.arena(), kAnnotation, Value::String(object.arena().Copy(text)));
  size_t bytes = 0;
  for (const MapEntry& entry : annotations->entries()) {
    bytes += entry.key.size() + entry.value.AsText().size();
  }
  if (bytes > limits::kMaxAnnotationBytes) annotations->Erase(kAnnotation);
}

}  // namespace skiff
