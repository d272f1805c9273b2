#include "cli/convert/object_check.h"

#include <string>
#include <vector>

#include "base/limits.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "base/version.h"
#include "object/json/cursor.h"
#include "object/resource.h"

namespace skiff::cli {
namespace {

// The places in a value that is a part of a JSON text.
class InnerPositions : public object::TextPositions {
 public:
  InnerPositions(const TextPositions& outer, size_t start) : outer_(outer), start_(start) {}
  TextPosition PositionOf(size_t offset) const override {
    return outer_.PositionOf(start_ + offset);
  }

 private:
  const TextPositions& outer_;
  size_t start_;
};

std::unexpected<Status> BadHeader(std::string message, TextPosition position) {
  Status status(StatusReason::kBadRequest, std::move(message));
  status.SetPosition(position);
  return std::unexpected(std::move(status));
}

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// "; Deployment is in apps/v1" for a kind of some built-in version, stable ones before others.
std::string WhereKindIs(std::string_view kind) {
  std::string stable, other;
  for (const object::KindDesc& known : object::AllKinds()) {
    if (known.kind != kind) continue;
    const bool is_stable = known.api_version.find("alpha") == std::string_view::npos &&
                           known.api_version.find("beta") == std::string_view::npos;
    std::string& list = is_stable ? stable : other;
    list += list.empty() ? "; " + std::string(kind) + " is in " : ", ";
    list += known.api_version;
  }
  return stable.empty() ? other : stable;
}

// Whether the kind is that of a resource, and of none in this version: an API server of today knows
// how to read it, from the time when it was served, and does not take it.
bool IsServedOnlyElsewhere(const object::TypeMeta& meta) {
  bool elsewhere = false;
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      if (resource.kind_name != meta.kind) continue;
      if (version.desc->api_version == meta.api_version) return false;
      elsewhere = true;
    }
  }
  return elsewhere;
}

// Calls visit(key, key_offset) before each value of an object in valid JSON; visit passes over the
// value if it wants to, and returns whether it did.
template <typename Visit>
void ForEachMember(object::JsonCursor& cursor, Visit visit) {
  Arena arena;
  if (!cursor.Take('{') || cursor.Take('}')) return;
  do {
    cursor.SkipSpace();
    const size_t key_offset = cursor.offset();
    std::string_view key;
    if (!cursor.ReadString(arena, &key) || !cursor.Take(':')) return;
    if (!visit(key, key_offset) && !cursor.SkipValue(1)) return;
  } while (cursor.Take(','));
}

std::string JoinPath(std::string_view prefix, std::string_view field) {
  std::string path(prefix);
  if (field.empty() && path.ends_with('.')) path.pop_back();
  path += field;
  return path;
}

// One item of a list; `path` is where it stands.
void CheckItem(std::string_view json, const object::TextPositions& positions, Validation validation,
               Diagnostics& diagnostics, const std::string& path, int depth) {
  const std::string prefix = path + ".";
  const auto fail = [&](const Status& status) {
    diagnostics.Error(status.position(), JoinPath(prefix, status.field()), status.message());
  };
  const Result<ObjectHeader> header = ReadObjectHeader(json, positions);
  if (!header) return fail(header.error());
  const object::MessageDesc* type =
      ResolveKind(*header, positions, prefix, validation, diagnostics);
  std::vector<object::FieldIssue> issues;
  const Result<object::Document> document = object::DecodeJson(
      json, type,
      {.issues = &issues, .positions = &positions, .max_bytes = SIZE_MAX, .borrow_text = true});
  ReportIssues(diagnostics, validation, issues, prefix);
  if (!document) return fail(document.error());
  if (type != nullptr && HasRawItems(*type)) {
    CheckRawItems(json, positions, validation, diagnostics, prefix, depth + 1);
  }
}

}  // namespace

void Report(Diagnostics& diagnostics, Validation validation, TextPosition position,
            std::string_view field, std::string_view message) {
  if (validation == Validation::kStrict) diagnostics.Error(position, field, message);
  if (validation == Validation::kWarn) diagnostics.Warn(position, field, message);
}

void ReportIssues(Diagnostics& diagnostics, Validation validation,
                  const std::vector<object::FieldIssue>& issues, std::string_view path_prefix) {
  for (const object::FieldIssue& issue : issues) {
    Report(diagnostics, validation, issue.position, JoinPath(path_prefix, issue.path),
           issue.kind == object::FieldIssue::kUnknown ? "unknown field" : "duplicate field");
  }
}

Result<ObjectHeader> ReadObjectHeader(std::string_view json,
                                      const object::TextPositions& positions) {
  object::JsonCursor cursor(json);
  const object::JsonKind kind = cursor.Peek();
  if (kind != object::JsonKind::kObject) {
    return BadHeader("expected an object, got " + std::string(object::JsonKindName(kind)),
                     positions.PositionOf(cursor.offset()));
  }
  ObjectHeader header;
  Arena arena;
  bool has_version = false, has_kind = false, has_type = false, has_object = false;
  bool has_others = false;
  std::string fault, near_miss;
  size_t fault_offset = 0;
  ForEachMember(cursor, [&](std::string_view key, size_t key_offset) {
    const bool is_kind = key == "kind";
    if (!is_kind && key != "apiVersion") {
      has_type |= key == "type";
      has_object |= key == "object";
      has_others |= key != "type" && key != "object";
      if (EqualIgnoringCase(key, "kind") || EqualIgnoringCase(key, "apiVersion")) near_miss = key;
      return false;
    }
    bool& has = is_kind ? has_kind : has_version;
    if (has) {  // not for any mode of validation to accept: what would the object be?
      fault = std::string(key) + ": duplicate field";
      fault_offset = key_offset;
      return false;
    }
    std::string_view value;
    if (cursor.Peek() != object::JsonKind::kString) {
      if (cursor.Peek() == object::JsonKind::kNull) return false;
      fault = std::string(key) + ": expected a string, got " +
              std::string(object::JsonKindName(cursor.Peek()));
      fault_offset = cursor.offset();
      return false;
    }
    cursor.ReadString(arena, &value);
    has = !value.empty();
    (is_kind ? header.meta.kind : header.meta.api_version) = value;
    (is_kind ? header.kind_offset : header.api_version_offset) = key_offset;
    return true;
  });
  if (!fault.empty()) return BadHeader(fault, positions.PositionOf(fault_offset));
  if (has_version && has_kind) return header;
  header.is_watch_event =
      !has_version && !has_kind && has_type && has_object && !has_others && near_miss.empty();
  if (header.is_watch_event) return header;
  std::string missing = has_kind      ? "apiVersion is not set"
                        : has_version ? "kind is not set"
                                      : "apiVersion and kind are not set";
  if (!near_miss.empty()) {
    missing += "; " + Quoted(near_miss) + " does not count: names are case-sensitive";
  }
  return BadHeader(std::move(missing), positions.PositionOf(0));
}

const object::MessageDesc* ResolveKind(const ObjectHeader& header,
                                       const object::TextPositions& positions,
                                       std::string_view path_prefix, Validation validation,
                                       Diagnostics& diagnostics) {
  const object::TypeMeta& meta = header.meta;
  const object::MessageDesc* type = object::FindKind(meta.api_version, meta.kind);
  if (type != nullptr) {
    if (validation != Validation::kIgnore && IsServedOnlyElsewhere(meta)) {
      diagnostics.Warn(positions.PositionOf(header.api_version_offset),
                       JoinPath(path_prefix, "apiVersion"),
                       Quoted(meta.api_version) + " is no longer served by Kubernetes " +
                           std::string(kKubernetesVersion) + WhereKindIs(meta.kind));
    }
    return type;
  }

  const std::string_view group = GroupOf(meta.api_version);
  std::vector<std::string_view> kinds;
  bool has_group = false;
  for (const object::KindDesc& known : object::AllKinds()) {
    if (known.api_version == meta.api_version) kinds.push_back(known.kind);
    if (GroupOf(known.api_version) == group) has_group = true;
  }
  const std::string elsewhere = WhereKindIs(meta.kind);
  if (!kinds.empty()) {
    Report(diagnostics, validation, positions.PositionOf(header.kind_offset),
           JoinPath(path_prefix, "kind"),
           Quoted(meta.kind) + " is no kind of " + meta.api_version +
               (elsewhere.empty() ? DidYouMean(meta.kind, kinds) : elsewhere));
  } else if (has_group || group.find('.') == std::string_view::npos) {
    // Custom resources are in groups of their own, whose names have a dot.
    Report(diagnostics, validation, positions.PositionOf(header.api_version_offset),
           JoinPath(path_prefix, "apiVersion"),
           Quoted(meta.api_version) + " is no version of Kubernetes " +
               std::string(kKubernetesVersion) + elsewhere);
  }
  return nullptr;
}

const object::MessageDesc& WatchEventType() {
  static const object::MessageDesc& type = *object::FindMessage("meta/v1", "WatchEvent");
  return type;
}

void CheckWatchedObject(std::string_view event_json, const object::TextPositions& positions,
                        Validation validation, Diagnostics& diagnostics) {
  if (validation == Validation::kIgnore) return;
  object::JsonCursor cursor(event_json);
  ForEachMember(cursor, [&](std::string_view key, size_t) {
    if (key != "object" || cursor.Peek() != object::JsonKind::kObject) return false;
    cursor.SkipSpace();
    const size_t start = cursor.offset();
    if (!cursor.SkipValue(1)) return true;
    const InnerPositions inner(positions, start);
    CheckItem(cursor.TextFrom(start), inner, validation, diagnostics, "object", 0);
    return true;
  });
}

bool HasRawItems(const object::MessageDesc& type) {
  const uint16_t items = type.FindField("items");
  return items != object::MessageDesc::kNoField &&
         type.fields[items].type == object::FieldType::kRawJson &&
         type.fields[items].cardinality == object::Cardinality::kList;
}

void CheckRawItems(std::string_view list_json, const object::TextPositions& positions,
                   Validation validation, Diagnostics& diagnostics, std::string_view path_prefix,
                   int depth) {
  if (validation == Validation::kIgnore) return;
  if (depth >= limits::kMaxNestedLists) {
    return diagnostics.Error(positions.PositionOf(0), JoinPath(path_prefix, ""),
                             "Lists are nested too deeply");
  }
  object::JsonCursor cursor(list_json);
  ForEachMember(cursor, [&](std::string_view key, size_t) {
    if (key != "items" || cursor.Peek() != object::JsonKind::kArray) return false;
    cursor.Take('[');
    if (cursor.Take(']')) return true;
    size_t index = 0;
    do {
      cursor.SkipSpace();
      const size_t start = cursor.offset();
      if (!cursor.SkipValue(1)) return true;
      const InnerPositions inner(positions, start);
      CheckItem(cursor.TextFrom(start), inner, validation, diagnostics,
                std::string(path_prefix) + "items[" + std::to_string(index++) + "]", depth);
    } while (cursor.Take(','));
    cursor.Take(']');
    return true;
  });
}

}  // namespace skiff::cli
