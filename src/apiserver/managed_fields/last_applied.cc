#include "apiserver/managed_fields/last_applied.h"

#include "base/limits.h"
#include "object/fields/check.h"
#include "object/fields/compare.h"
#include "object/fields/merge.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

std::string_view AnnotationOf(const object::Value& object) {
  const object::Value* found = object.FindPath({"metadata", "annotations", kAnnotation});
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace

object::FieldSet LastAppliedFields(Arena& arena, object::Document& memory,
                                   const VersionedValue& live, std::string_view api_version) {
  const std::string_view text = AnnotationOf(live.value);
  if (text.empty()) return {};
  Result<object::Document> applied = object::DecodeJson(text, nullptr);
  if (!applied || applied->api_version() != api_version) return {};
  memory = std::move(*applied);
  const object::FieldShape shape = live.shape();
  const object::ConfigurationFields read =
      object::ReadConfigurationFields(arena, shape, memory.root());
  if (!read.faults.empty()) return {};
  const object::FieldChanges changes =
      object::CompareFields(arena, shape, memory.root(), live.value);
  object::FieldSet out = object::Difference(arena, read.fields, changes.modified);
  out = object::Difference(arena, out, changes.added);
  return object::Difference(arena, out, changes.removed);
}

void UpdateLastApplied(const object::Document& config, object::Document& object) {
  if (AnnotationOf(object.root()).empty()) return;
  object::Document copy = config.Copy();
  if (object::Value* meta = copy.root().Find("metadata"); meta != nullptr && meta->is_map()) {
    if (object::Value* annotations = meta->Find("annotations");
        annotations != nullptr && annotations->is_map()) {
      annotations->Erase(kAnnotation);
    }
  }
  object::Value* annotations = object.root().Find("metadata")->Find("annotations");
  const std::string text = object::EncodeJson(copy.root()) + "\n";
  annotations->SetEntry(object.arena(), kAnnotation,
                        object::Value::String(object.arena().Copy(text)));
  size_t bytes = 0;
  for (const object::MapEntry& entry : annotations->entries()) {
    bytes += entry.key.size() + entry.value.AsText().size();
  }
  if (bytes > limits::kMaxAnnotationBytes) annotations->Erase(kAnnotation);
}

}  // namespace skiff::apiserver
