#include "apiserver/extensions/custom_behaviour.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "apiserver/extensions/schema/custom_resource.h"
#include "apiserver/extensions/schema/rule_validation.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/field_errors.h"
#include "object/json/encode.h"
#include "object/json/json_text.h"
#include "object/scalar/names.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

// What was wrong before and has not changed may stay so.
constexpr bool kRatcheting = true;

// Takes the entry of `from` over as it is there, or takes it away.
void TakeEntry(std::string_view name, const object::Document& from, object::Document& object) {
  if (const object::Value* value = from.root().Find(name); value != nullptr) {
    object.root().Set(object.arena(), name, value->CopyInto(object.arena()));
  } else {
    object.root().Erase(name);
  }
}

std::string_view GoTypeOf(const object::Value& value) {
  switch (value.tag()) {
    case object::Tag::kString:
      return "string";
    case object::Tag::kBool:
      return "bool";
    case object::Tag::kInt:
      return "int64";
    case object::Tag::kDouble:
      return "float64";
    case object::Tag::kList:
      return "[]interface {}";
    case object::Tag::kMap:
      return "map[string]interface {}";
    default:
      return "<nil>";
  }
}

std::string ShownInGo(const object::Value& value) {
  return value.is_string() ? std::string(value.AsText()) : object::EncodeJson(value);
}

// Whether anything but the metadata differs: what counts as a new generation.
bool DiffersBeyondMetadata(const object::Document& a, const object::Document& b) {
  const auto left = a.root().entries();
  const auto right = b.root().entries();
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && left[i].key == "metadata") {
      ++i;
    } else if (j < right.size() && right[j].key == "metadata") {
      ++j;
    } else if (i == left.size() || j == right.size() || left[i].key != right[j].key ||
               !object::DeepEqual(left[i].value, right[j].value)) {
      return true;
    } else {
      ++i, ++j;
    }
  }
  return false;
}

// The value at a path of names, ".spec.replicas"; null if there is none. What stands in the way is
// reported.
const object::Value* ValueAt(std::string_view path, const object::Document& object,
                             FieldErrors& errors) {
  const object::Value* at = &object.root();
  std::string_view rest = path;
  while (!rest.empty()) {
    if (rest.starts_with('.')) rest.remove_prefix(1);
    if (!at->is_map() && !at->is_object()) {
      const std::string_view passed = path.substr(0, path.size() - rest.size() - 1);
      errors.Invalid(path, ShownValue(0),
                     std::string(passed) + " accessor error: " + object::EncodeJson(*at) +
                         " is of the type " + std::string(GoTypeOf(*at)) +
                         ", expected map[string]interface{}");
      return nullptr;
    }
    const size_t end = std::min(rest.find('.'), rest.size());
    at = at->Find(rest.substr(0, end));
    if (at == nullptr) return nullptr;
    rest.remove_prefix(end);
  }
  return at;
}

// A number of replicas.
void CheckCount(std::string_view path, const object::Document& object, FieldErrors& errors) {
  const object::Value* found = ValueAt(path, object, errors);
  if (found == nullptr) return;
  if (found->tag() != object::Tag::kInt) {
    errors.Invalid(path, ShownValue(0),
                   std::string(path) + " accessor error: " + ShownInGo(*found) +
                       " is of the type " + std::string(GoTypeOf(*found)) + ", expected int64");
  } else if (found->AsInt() < 0) {
    errors.Invalid(path, ShownValue(found->AsInt()), "should be a non-negative integer");
  } else if (found->AsInt() > std::numeric_limits<int32_t>::max()) {
    errors.Invalid(path, ShownValue(found->AsInt()), "should be less than or equal to 2147483647");
  }
}

void CheckText(std::string_view path, const object::Document& object, FieldErrors& errors) {
  if (path.empty()) return;
  const object::Value* found = ValueAt(path, object, errors);
  if (found == nullptr || found->is_string()) return;
  errors.Invalid(path, ShownValue(""),
                 std::string(path) + " accessor error: " + ShownInGo(*found) + " is of the type " +
                     std::string(GoTypeOf(*found)) + ", expected string");
}

// Finalizers that are new and might be somebody else's, too.
void WarnOfFinalizers(const object::Document* old, const object::Document& object,
                      std::vector<std::string>& warnings) {
  constexpr std::string_view kStandard[] = {"kubernetes", "orphan", "foregroundDeletion"};
  std::set<std::string_view> added;
  const auto finalizers_of = [](const object::Document& of) {
    return views::meta_v1::ObjectMeta(of.root().Find("metadata")).finalizers();
  };
  for (const std::string_view each : finalizers_of(object)) added.insert(each);
  if (old != nullptr) {
    for (const std::string_view each : finalizers_of(*old)) added.erase(each);
  }
  for (const std::string_view each : added) {
    const bool has_path = each.find('/') != std::string_view::npos;
    // Those that no name may be like are faults.
    if (!object::CheckQualifiedName(each).empty()) continue;
    if (has_path || std::ranges::find(kStandard, each) != std::end(kStandard)) continue;
    const std::string_view how =
        each.find('.') != std::string_view::npos ? " including a path (/)" : "";
    warnings.push_back("metadata.finalizers: " + object::JsonText(each) +
                       ": prefer a domain-qualified finalizer name" + std::string(how) +
                       " to avoid accidental conflicts with other finalizer writers");
  }
}

void CheckBySchema(const CompiledSchema& schema, const WriteContext& write,
                   const object::Document* old, const object::Document& object,
                   FieldErrors& errors) {
  if (old == nullptr) {
    ValidateCustomResource(schema, object.root(), errors);
  } else if (write.subresource == "status") {
    ValidateCustomResourceStatus(schema, object.root(), old->root(), kRatcheting, errors);
  } else {
    ValidateCustomResourceUpdate(schema, object.root(), old->root(), kRatcheting, errors);
  }
}

}  // namespace

Result<void> CustomBehaviour::PrepareForCreate(WriteContext& write, object::Document& object) {
  if (terminating_.load(std::memory_order_acquire)) {
    return std::unexpected(
        Forbidden(write.resource, MetaOf(object).name(),
                  "create not allowed while custom resource definition is terminating"));
  }
  if (version_.has_status()) object.root().Erase("status");
  MetaOf(object).SetGeneration(1);
  return {};
}

Result<void> CustomBehaviour::PrepareForUpdate(WriteContext& write, object::Document& old,
                                               object::Document& object) {
  if (write.subresource == "status") {
    // Nothing but the status, and who owns it, is written.
    object::Document kept = old.Copy();
    TakeEntry("status", object, kept);
    MetaOf(kept).Take("managedFields", MetaOf(object));
    object = std::move(kept);
    return {};
  }
  if (version_.has_status()) TakeEntry("status", old, object);
  if (DiffersBeyondMetadata(old, object)) {
    MetaOf(object).SetGeneration(MetaOf(old).generation() + 1);
  }
  return {};
}

void CustomBehaviour::Check(WriteContext& write, const object::Document* old,
                            const object::Document& object, bool, FieldErrors& errors) {
  if (write.warnings != nullptr) WarnOfFinalizers(old, object, *write.warnings);
  const Result<const CompiledSchema*> schema = version_.Schema();
  if (!schema) return errors.Internal("", schema.error().message());
  if (*schema != nullptr) CheckBySchema(**schema, write, old, object, errors);
  if (const object::ScalePaths* scale = version_.Scale(); scale != nullptr) {
    if (write.subresource != "status") CheckCount(scale->spec_replicas, object, errors);
    CheckCount(scale->status_replicas, object, errors);
    CheckText(scale->label_selector, object, errors);
  }
  if (*schema == nullptr) return;
  EvaluateRules(**schema, object.root(), old != nullptr ? &old->root() : nullptr,
                {.ratcheting = kRatcheting, .warnings = write.warnings}, errors);
}

}  // namespace skiff::apiserver
