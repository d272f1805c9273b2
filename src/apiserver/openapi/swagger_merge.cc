#include "apiserver/openapi/swagger_merge.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/aggregation_limits.h"
#include "base/arena.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "serving/request/json_writer.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kReference = R"("$ref":"#/)";
constexpr std::string_view kKinds = "x-kubernetes-group-version-kind";
// The two parts of a document that paths refer to.
constexpr std::string_view kShared[] = {"definitions", "parameters"};

const object::Value* MapIn(const object::Value& map, std::string_view name) {
  const object::Value* const found = map.is_map() ? map.Find(name) : nullptr;
  return found != nullptr && found->is_map() ? found : nullptr;
}

// --- taking apart

// What is referred to: "definitions/NAME".
using References = std::set<std::string_view>;

void Collect(const object::Value& value, References& out) {
  if (value.is_list()) {
    for (const object::Value& item : value.items()) Collect(item, out);
    return;
  }
  if (!value.is_map()) return;
  for (const object::MapEntry& entry : value.entries()) {
    if (entry.key == "$ref" && entry.value.is_string()) {
      const std::string_view text = entry.value.AsText();
      if (text.starts_with("#/")) out.insert(text.substr(2));
    } else {
      Collect(entry.value, out);
    }
  }
}

const object::Value* Referred(const object::Value& root, std::string_view reference) {
  const size_t slash = reference.find('/');
  if (slash == std::string_view::npos) return nullptr;
  const object::Value* const part = MapIn(root, reference.substr(0, slash));
  return part != nullptr ? part->Find(reference.substr(slash + 1)) : nullptr;
}

// With what they refer to in turn.
References CloseOver(const object::Value& root, References found) {
  std::vector<std::string_view> open(found.begin(), found.end());
  while (!open.empty()) {
    const std::string_view reference = open.back();
    open.pop_back();
    const object::Value* const value = Referred(root, reference);
    if (value == nullptr) continue;
    References more;
    Collect(*value, more);
    for (const std::string_view each : more) {
      if (found.insert(each).second) open.push_back(each);
    }
  }
  return found;
}

void WriteMember(serving::JsonWriter& json, std::string_view name, const object::Value& value) {
  json.EscapedKey(name);
  json.Raw(object::EncodeJson(value));
}

// --- putting together

struct Member {
  std::string_view name;
  std::string_view text;
};

// The members of an object whose text is well-formed JSON.
std::vector<Member> MembersOf(std::string_view text, Arena& arena) {
  std::vector<Member> out;
  object::JsonCursor cursor(text);
  if (!cursor.Take('{') || cursor.Take('}')) return out;
  do {
    Member member;
    if (!cursor.ReadString(arena, &member.name) || !cursor.Expect(':', object::kExpectedColon)) {
      break;
    }
    cursor.SkipSpace();
    const size_t start = cursor.offset();
    if (!cursor.SkipValue(0)) break;
    member.text = cursor.TextFrom(start);
    out.push_back(member);
  } while (cursor.Take(','));
  return out;
}

std::string_view TextOf(const std::vector<Member>& members, std::string_view name) {
  for (const Member& member : members) {
    if (member.name == name) return member.text;
  }
  return {};
}

// Definitions or parameters, by name.
class SharedPart {
 public:
  explicit SharedPart(std::vector<Member> members) : members_(std::move(members)) {
    for (size_t i = 0; i < members_.size(); ++i) places_.emplace(members_[i].name, i);
  }

  const std::vector<Member>& members() const { return members_; }
  const std::string_view* Find(std::string_view name) const {
    const auto found = places_.find(name);
    return found != places_.end() ? &members_[found->second].text : nullptr;
  }
  void Put(std::string_view name, std::string_view text) {
    const auto [at, is_new] = places_.emplace(name, members_.size());
    if (is_new) {
      members_.push_back({name, text});
    } else {
      members_[at->second].text = text;
    }
  }

 private:
  std::vector<Member> members_;
  std::unordered_map<std::string_view, size_t> places_;
};

// Whether two definitions say the same, but for the kinds that they stand for.
bool SayTheSame(std::string_view a, std::string_view b) {
  if (a == b) return true;
  Result<object::Document> left = object::DecodeJson(a, nullptr);
  Result<object::Document> right = object::DecodeJson(b, nullptr);
  if (!left || !right || !left->root().is_map() || !right->root().is_map()) return false;
  left->root().Erase(kKinds);
  right->root().Erase(kKinds);
  return object::DeepEqual(left->root(), right->root());
}

// The first with the kinds of both; empty: it has them already.
std::string WithKindsOf(std::string_view a, std::string_view b) {
  if (b.find(kKinds) == std::string_view::npos || a == b) return {};
  Result<object::Document> left = object::DecodeJson(a, nullptr);
  const Result<object::Document> right = object::DecodeJson(b, nullptr);
  if (!left || !right || !left->root().is_map() || !right->root().is_map()) return {};
  const object::Value* const more = right->root().Find(kKinds);
  if (more == nullptr || !more->is_list()) return {};
  object::Value* kinds = left->root().Find(kKinds);
  if (kinds != nullptr && !kinds->is_list()) return {};
  if (kinds == nullptr) {
    kinds = &left->root().Set(left->arena(), kKinds, object::Value::EmptyList());
  }
  bool changed = false;
  for (const object::Value& each : more->items()) {
    const bool is_there = std::ranges::any_of(
        kinds->items(), [&](const object::Value& one) { return object::DeepEqual(one, each); });
    if (is_there) continue;
    kinds->Append(left->arena(), each.CopyInto(left->arena()));
    changed = true;
  }
  return changed ? object::EncodeJson(left->root()) : std::string();
}

class Merger {
 public:
  explicit Merger(std::string_view own)
      : own_(MembersOf(own, arena_)),
        paths_(MembersOf(TextOf(own_, "paths"), arena_)),
        shared_{SharedPart(MembersOf(TextOf(own_, kShared[0]), arena_)),
                SharedPart(MembersOf(TextOf(own_, kShared[1]), arena_))} {
    for (const Member& path : paths_) taken_.insert(path.name);
  }

  void Add(std::string_view part) {
    const std::vector<Member> members = MembersOf(part, arena_);
    std::vector<Member> paths = MembersOf(TextOf(members, "paths"), arena_);
    std::erase_if(paths, [this](const Member& path) { return taken_.contains(path.name); });
    if (paths.empty()) return;
    std::map<std::string, std::string> renames;  // by reference
    std::vector<Member> theirs[2];
    for (size_t i = 0; i < 2; ++i) {
      theirs[i] = MembersOf(TextOf(members, kShared[i]), arena_);
      Rename(i, theirs[i], renames);
    }
    for (size_t i = 0; i < 2; ++i) {
      for (const Member& each : theirs[i]) Take(i, each, renames);
    }
    for (const Member& path : paths) {
      taken_.insert(path.name);
      paths_.push_back({path.name, Renamed(path.text, renames)});
    }
  }

  void Write(ByteBuffer& out) const {
    serving::JsonWriter json(out);
    json.OpenObject();
    for (const Member& member : own_) {
      json.EscapedKey(member.name);
      if (member.name == "paths") {
        WriteAll(json, paths_);
      } else if (member.name == kShared[0] || member.name == kShared[1]) {
        WriteAll(json, shared_[member.name == kShared[0] ? 0 : 1].members());
      } else {
        json.Raw(member.text);
      }
    }
    json.CloseObject();
  }

 private:
  static void WriteAll(serving::JsonWriter& json, const std::vector<Member>& members) {
    json.OpenObject();
    for (const Member& each : members) {
      json.EscapedKey(each.name);
      json.Raw(each.text);
    }
    json.CloseObject();
  }

  static std::string ReferenceTo(size_t part, std::string_view name) {
    return std::string(kShared[part]).append("/").append(name);
  }

  // Finds names for what stands in the way of something else.
  void Rename(size_t part, const std::vector<Member>& theirs,
              std::map<std::string, std::string>& renames) {
    std::unordered_set<std::string_view> own_names;
    for (const Member& each : theirs) own_names.insert(each.name);
    for (const Member& each : theirs) {
      const std::string_view* there = shared_[part].Find(each.name);
      if (there == nullptr || SayTheSame(*there, each.text)) continue;
      std::string name;
      for (int i = 2;; ++i) {
        name = std::string(each.name).append("_v").append(std::to_string(i));
        if (own_names.contains(name)) continue;
        there = shared_[part].Find(name);
        if (there == nullptr || SayTheSame(*there, each.text)) break;
      }
      renames[ReferenceTo(part, each.name)] = ReferenceTo(part, name);
    }
  }

  void Take(size_t part, const Member& member, const std::map<std::string, std::string>& renames) {
    std::string_view name = member.name;
    if (const auto found = renames.find(ReferenceTo(part, name)); found != renames.end()) {
      name = Keep(found->second.substr(kShared[part].size() + 1));
    }
    const std::string_view text = Renamed(member.text, renames);
    const std::string_view* const there = shared_[part].Find(name);
    if (there == nullptr) return shared_[part].Put(name, text);
    if (part != 0) return;
    if (std::string both = WithKindsOf(*there, text); !both.empty()) {
      shared_[part].Put(name, Keep(std::move(both)));
    }
  }

  std::string_view Keep(std::string text) { return made_.emplace_back(std::move(text)); }

  // Our own JSON has no spaces, and no text in it can look like a reference.
  std::string_view Renamed(std::string_view text,
                           const std::map<std::string, std::string>& renames) {
    if (renames.empty()) return text;
    std::string out;
    size_t from = 0;
    for (size_t at = text.find(kReference); at != std::string_view::npos;
         at = text.find(kReference, at + 1)) {
      const size_t start = at + kReference.size();
      const size_t end = text.find('"', start);
      if (end == std::string_view::npos) break;
      const auto found = renames.find(std::string(text.substr(start, end - start)));
      if (found == renames.end()) continue;
      out.append(text.substr(from, start - from)).append(found->second);
      from = end;
    }
    if (from == 0) return text;
    return Keep(out.append(text.substr(from)));
  }

  Arena arena_;
  std::deque<std::string> made_;
  const std::vector<Member> own_;
  std::vector<Member> paths_;
  std::unordered_set<std::string_view> taken_;  // paths
  SharedPart shared_[2];
};

}  // namespace

Result<ForeignSwagger> ForeignSwagger::Read(std::string_view json) {
  SKIFF_ASSIGN_OR_RETURN(
      object::Document document,
      object::DecodeJson(json, nullptr, {.max_bytes = limits::kMaxBackendOpenApiBytes}));
  if (!document.root().is_map()) {
    return Fail(StatusReason::kInternalError, "it is no OpenAPI document");
  }
  return ForeignSwagger(std::move(document));
}

SharedBytes ForeignSwagger::PartOf(std::string_view path_prefix) const {
  const object::Value& root = document_.root();
  const object::Value* const paths = MapIn(root, "paths");
  if (paths == nullptr) return {};
  std::vector<const object::MapEntry*> kept;
  References needed;
  for (const object::MapEntry& path : paths->entries()) {
    if (!path.key.starts_with(path_prefix) || !path.value.is_map()) continue;
    kept.push_back(&path);
    Collect(path.value, needed);
  }
  if (kept.empty()) return {};
  needed = CloseOver(root, std::move(needed));
  // What nobody needs anyway stays.
  References used;
  Collect(root, used);
  ByteBuffer out;
  serving::JsonWriter writer(out);
  writer.OpenObject();
  for (const std::string_view part : kShared) {
    writer.OpenObject(part);
    if (const object::Value* const all = MapIn(root, part)) {
      for (const object::MapEntry& each : all->entries()) {
        const std::string reference = std::string(part).append("/").append(each.key);
        if (needed.contains(reference) || !used.contains(reference)) {
          WriteMember(writer, each.key, each.value);
        }
      }
    }
    writer.CloseObject();
  }
  writer.OpenObject("paths");
  for (const object::MapEntry* path : kept) WriteMember(writer, path->key, path->value);
  writer.CloseObject();
  writer.CloseObject();
  return SharedBytes(out.view());
}

void MergeSwagger(std::string_view own, std::span<const SharedBytes> parts, ByteBuffer& out) {
  Merger merger(own);
  for (const SharedBytes& part : parts) merger.Add(part.view());
  merger.Write(out);
}

}  // namespace skiff::apiserver
