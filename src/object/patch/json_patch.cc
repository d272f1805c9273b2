#include "object/patch/json_patch.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "object/patch/bounds.h"
#include "object/patch/go_text.h"

namespace skiff::object {
namespace {

// Undoes the escapes of one token: ~1 is a slash, ~0 a tilde.
std::string DecodeToken(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    const char next = i + 1 < token.size() ? token[i + 1] : '\0';
    if (token[i] == '~' && (next == '0' || next == '1')) {
      out += next == '0' ? '~' : '/';
      ++i;
    } else {
      out += token[i];
    }
  }
  return out;
}

// The index that a token means in a list with `size` places; negative ones count from the end.
std::optional<size_t> ParseIndex(std::string_view token, size_t size) {
  if (token.starts_with('+')) {
    token.remove_prefix(1);
    if (token.starts_with('-')) return std::nullopt;
  }
  int64_t index = 0;
  const char* const end = token.data() + token.size();
  const auto [ptr, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc() || ptr != end) return std::nullopt;
  const auto places = static_cast<int64_t>(size);
  if (index < 0) index += places;
  if (index < 0 || index >= places) return std::nullopt;
  return static_cast<size_t>(index);
}

// The member or item that a token names, or null.
Value* Child(Value& container, std::string_view token) {
  if (container.is_map()) return container.Find(token);
  if (!container.is_list()) return nullptr;
  const auto index = ParseIndex(token, container.size());
  return index.has_value() ? &container.items()[*index] : nullptr;
}

constexpr std::string_view kTestFailed = "test failed";

std::unexpected<Status> DoesNotApply(std::string message) {
  return Fail(StatusReason::kInvalid, std::move(message));
}

std::string Quoted(std::string_view path) {
  std::string out = "\"";
  out += path.substr(0, kMaxValueTextBytes);
  if (path.size() > kMaxValueTextBytes) out += "...";
  out += '"';
  return out;
}

class JsonPatcher {
 public:
  explicit JsonPatcher(Document& document) : root_(document.root()), arena_(document.arena()) {}

  // One operation, whose members' types have been checked.
  Result<void> Apply(const Value& operation);

 private:
  // Where a path ends: a map or list, and the token that names a place in it.
  struct Place {
    Value* container = nullptr;
    std::string token;
  };

  Result<Place> FindPlace(std::string_view path, std::string_view what);
  // Fails for a token that is no place of a list. A member that a map does not have is null.
  Result<Value*> Get(const Place& place);
  Result<void> Add(const Place& place, Value value);
  Result<void> Remove(const Place& place);
  Result<void> Replace(std::string_view path, const Value& value);
  Result<void> Move(std::string_view from, std::string_view path);
  Result<void> Copy(std::string_view from, std::string_view path);
  Result<void> Test(std::string_view path, const Value& value);
  Result<void> ChargeShift(size_t bytes);

  Value& root_;
  Arena& arena_;
  size_t copied_bytes_ = 0;
  size_t shifted_bytes_ = 0;
};

Result<JsonPatcher::Place> JsonPatcher::FindPlace(std::string_view path, std::string_view what) {
  const size_t slash = path.find('/');
  Value* at = slash == path.npos ? nullptr : &root_;
  std::string_view rest = path.substr(std::min(path.size(), slash) + (at != nullptr ? 1 : 0));
  while (at != nullptr && (at->is_map() || at->is_list())) {
    const size_t end = rest.find('/');
    std::string token = DecodeToken(rest.substr(0, end));
    if (end == rest.npos) return Place{at, std::move(token)};
    at = Child(*at, token);
    rest.remove_prefix(end + 1);
  }
  return DoesNotApply("the document is missing " + std::string(what));
}

Result<Value*> JsonPatcher::Get(const Place& place) {
  Value* const found = Child(*place.container, place.token);
  if (found == nullptr && place.container->is_list()) {
    return DoesNotApply("invalid index " + Quoted(place.token));
  }
  return found;
}

// Inserting into and removing from the middle shifts what lies behind, which on a huge container
// would make ten thousand small operations cost minutes. What does not fit into a core's cache
// moves at a fraction of the speed, and so counts more.
Result<void> JsonPatcher::ChargeShift(size_t bytes) {
  constexpr size_t kCacheBytes = 1024 * 1024;
  constexpr size_t kUncachedCost = 4;
  shifted_bytes_ += bytes > kCacheBytes ? bytes * kUncachedCost : bytes;
  if (shifted_bytes_ > limits::kMaxJsonPatchShiftedBytes) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "Request entity too large: the patch moves too many values");
  }
  return {};
}

size_t BytesBehind(const Value& map, std::string_view key) {
  const auto entries = map.entries();
  const auto at = std::ranges::lower_bound(entries, key, {}, &MapEntry::key);
  return static_cast<size_t>(entries.end() - at) * sizeof(MapEntry);
}

Result<void> JsonPatcher::Add(const Place& place, Value value) {
  Value& container = *place.container;
  if (container.is_map()) {
    if (Value* present = container.Find(place.token)) {
      *present = value;
      return {};
    }
    SKIFF_RETURN_IF_ERROR(ChargeShift(BytesBehind(container, place.token)));
    container.SetEntry(arena_, place.token, value);
    return {};
  }
  const size_t size = container.size();
  const auto index = place.token == "-" ? size : ParseIndex(place.token, size + 1);
  if (!index.has_value()) return DoesNotApply("invalid index " + Quoted(place.token));
  SKIFF_RETURN_IF_ERROR(ChargeShift((size - *index) * sizeof(Value)));
  container.Insert(arena_, *index, value);
  return {};
}

Result<void> JsonPatcher::Remove(const Place& place) {
  Value& container = *place.container;
  if (container.is_map()) {
    SKIFF_RETURN_IF_ERROR(ChargeShift(BytesBehind(container, place.token)));
    if (!container.Erase(place.token)) {
      return DoesNotApply("there is no member " + Quoted(place.token));
    }
    return {};
  }
  const auto index = ParseIndex(place.token, container.size());
  if (!index.has_value()) return DoesNotApply("invalid index " + Quoted(place.token));
  SKIFF_RETURN_IF_ERROR(ChargeShift((container.size() - *index) * sizeof(Value)));
  container.EraseItem(*index);
  return {};
}

Result<void> JsonPatcher::Replace(std::string_view path, const Value& value) {
  if (path.empty()) {
    if (!value.is_map() && !value.is_list()) {
      return DoesNotApply("the value must be an object or an array");
    }
    root_ = value.CopyInto(arena_);
    return {};
  }
  SKIFF_ASSIGN_OR_RETURN(const Place place, FindPlace(path, "the path"));
  SKIFF_ASSIGN_OR_RETURN(Value* const present, Get(place));
  if (present == nullptr) return Add(place, value.CopyInto(arena_));
  *present = value.CopyInto(arena_);
  return {};
}

Result<void> JsonPatcher::Move(std::string_view from, std::string_view path) {
  SKIFF_ASSIGN_OR_RETURN(const Place source, FindPlace(from, "the from path"));
  SKIFF_ASSIGN_OR_RETURN(Value* const found, Get(source));
  const Value value = found == nullptr ? Value() : *found;
  SKIFF_RETURN_IF_ERROR(Remove(source));
  SKIFF_ASSIGN_OR_RETURN(const Place target, FindPlace(path, "the destination path"));
  return Add(target, value);
}

Result<void> JsonPatcher::Copy(std::string_view from, std::string_view path) {
  SKIFF_ASSIGN_OR_RETURN(const Place source, FindPlace(from, "the from path"));
  SKIFF_ASSIGN_OR_RETURN(const Value* const found, Get(source));
  SKIFF_ASSIGN_OR_RETURN(const Place target, FindPlace(path, "the destination path"));
  if (found == nullptr) return Add(target, Value());
  SKIFF_ASSIGN_OR_RETURN(const size_t bytes,
                         MeasureJson(*found, limits::kMaxJsonPatchCopyBytes - copied_bytes_));
  copied_bytes_ += bytes;
  if (copied_bytes_ > limits::kMaxJsonPatchCopyBytes) {
    return DoesNotApply("the copies of the patch add more than the limit of " +
                        std::to_string(limits::kMaxJsonPatchCopyBytes) + " bytes");
  }
  return Add(target, found->CopyInto(arena_));
}

Result<void> JsonPatcher::Test(std::string_view path, const Value& value) {
  const Value* found = &root_;
  if (!path.empty()) {
    SKIFF_ASSIGN_OR_RETURN(const Place place, FindPlace(path, "the path"));
    SKIFF_ASSIGN_OR_RETURN(found, Get(place));
  }
  const bool equal = found == nullptr ? value.is_null() : DeepEqual(*found, value);
  if (!equal) return DoesNotApply(std::string(kTestFailed));
  return {};
}

Result<void> JsonPatcher::Apply(const Value& operation) {
  const auto text = [&](std::string_view name) -> std::optional<std::string_view> {
    const Value* member = operation.Find(name);
    if (member == nullptr || member->is_null()) return std::nullopt;
    return member->AsText();
  };
  const std::string_view op = text("op").value_or("unknown");
  const auto path = text("path");
  const auto from = text("from");
  const Value* const given = operation.Find("value");
  const Value value = given == nullptr ? Value() : *given;

  const bool needs_from = op == "move" || op == "copy";
  const bool known = needs_from || op == "add" || op == "remove" || op == "replace" || op == "test";
  if (!known) return DoesNotApply("unexpected kind");
  if (!path.has_value()) return DoesNotApply("the operation has no path");
  if (needs_from && !from.has_value()) return DoesNotApply("the operation has no from");

  if (op == "move") return Move(*from, *path);
  if (op == "copy") return Copy(*from, *path);
  if (op == "replace") return Replace(*path, value);
  if (op == "test") return Test(*path, value);
  SKIFF_ASSIGN_OR_RETURN(const Place place, FindPlace(*path, "the path"));
  return op == "add" ? Add(place, value.CopyInto(arena_)) : Remove(place);
}

// Kubernetes decodes the whole patch before it applies any of it.
Result<void> CheckOperations(const Value& patch) {
  const auto reject = [](const Value& value, std::string_view type) {
    return BadRequest("error decoding patch: json: cannot unmarshal " +
                      std::string(JsonTypeName(value)) + " into Go " + std::string(type));
  };
  if (!patch.is_list()) return reject(patch, "value of type []handlers.jsonPatchOp");
  for (const Value& operation : patch.items()) {
    if (operation.is_null()) continue;
    if (!operation.is_map()) return reject(operation, "value of type handlers.jsonPatchOp");
    for (const std::string_view name : {"op", "path", "from"}) {
      const Value* member = operation.Find(name);
      if (member == nullptr || member->is_null() || member->is_string()) continue;
      return reject(*member, "struct field jsonPatchOp." + std::string(name) + " of type string");
    }
  }
  return {};
}

// Which operation failed, before what the matter was.
std::unexpected<Status> AtOperation(size_t index, const Value& operation, Status status) {
  const auto text = [&](std::string_view name) {
    const Value* member = operation.Find(name);
    return member != nullptr && member->is_string() ? member->AsText() : std::string_view();
  };
  if (status.reason() == StatusReason::kRequestEntityTooLarge) return std::unexpected(status);
  std::string message = "json patch operation " + std::to_string(index) + ": ";
  if (operation.Find("op") != nullptr) message += std::string(text("op").substr(0, 64)) + ' ';
  if (operation.Find("from") != nullptr) message += Quoted(text("from")) + " to ";
  message += Quoted(text("path")) + ": " + status.message();
  return std::unexpected(std::move(status.SetMessage(std::move(message))));
}

}  // namespace

Result<void> ApplyJsonPatch(const Value& patch, Document& document) {
  if (patch.is_null()) return {};
  if (patch.size() > limits::kMaxJsonPatchOperations && patch.is_list()) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "Request entity too large: The allowed maximum operations in a JSON patch is " +
                    std::to_string(limits::kMaxJsonPatchOperations) + ", got " +
                    std::to_string(patch.size()));
  }
  SKIFF_RETURN_IF_ERROR(CheckOperations(patch));
  JsonPatcher patcher(document);
  const auto operations = patch.items();
  for (size_t i = 0; i < operations.size(); ++i) {
    auto applied = patcher.Apply(operations[i]);
    if (!applied) return AtOperation(i, operations[i], std::move(applied).error());
  }
  return CheckPatchedDocument(document.root());
}

bool IsFailedTest(const Status& error) {
  return error.reason() == StatusReason::kInvalid && error.message().ends_with(kTestFailed);
}

std::vector<FieldIssue> UnknownJsonPatchMembers(const Value& patch) {
  constexpr std::string_view kKnown[] = {"op", "path", "from", "value"};
  std::vector<FieldIssue> issues;
  if (!patch.is_list()) return issues;
  for (size_t i = 0; i < patch.size(); ++i) {
    const Value& operation = patch.items()[i];
    if (!operation.is_map()) continue;
    for (const MapEntry& member : operation.entries()) {
      if (std::ranges::find(kKnown, member.key) != std::end(kKnown)) continue;
      AddFieldIssue(&issues, FieldIssue::kUnknown,
                    "[" + std::to_string(i) + "]." + std::string(member.key), {});
    }
  }
  return issues;
}

}  // namespace skiff::object
