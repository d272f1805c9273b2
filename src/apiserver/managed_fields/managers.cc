#include "apiserver/managed_fields/managers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "object/fields/contains.h"

namespace skiff::apiserver {
namespace {

// As many managers that update have entries of their own. What older ones owned is kept under one
// name for each version.
constexpr size_t kMaxUpdateManagers = 10;
constexpr std::string_view kAncientChanges = "ancient-changes";

int64_t SecondsOf(const ManagedEntry& entry) { return entry.time ? entry.time->seconds : 0; }

bool Older(const ManagedEntry& a, const ManagedEntry& b) {
  return std::tuple(SecondsOf(a), a.manager, a.api_version, a.subresource) <
         std::tuple(SecondsOf(b), b.manager, b.api_version, b.subresource);
}

// What is kept under one name of the managers of one version.
struct AncientChanges {
  size_t place;  // of the entry that is theirs, or becomes it with the next of them
  std::vector<object::FieldSet> fields;  // those of that entry first; none while it is alone
  std::optional<object::Timestamp> time;
};

// The entry of this name that the version has already, or else its oldest.
size_t PlaceOfAncient(const std::map<ManagedEntry::Key, size_t>& places,
                      std::span<const ManagedEntry> entries, size_t oldest) {
  ManagedEntry ancient;
  ancient.manager = kAncientChanges;
  ancient.api_version = entries[oldest].api_version;
  const auto known = places.find(ancient.key());
  return known != places.end() ? known->second : oldest;
}

void CapUpdateManagers(Arena& arena, ManagedFields& managed) {
  std::vector<ManagedEntry>& entries = managed.entries();
  std::vector<size_t> updaters;
  std::map<ManagedEntry::Key, size_t> places;
  for (size_t i = 0; i < entries.size(); ++i) {
    places.emplace(entries[i].key(), i);
    if (!entries[i].applies) updaters.push_back(i);
  }
  size_t count = updaters.size();
  if (count <= kMaxUpdateManagers) return;
  std::ranges::sort(updaters, [&](size_t a, size_t b) { return Older(entries[a], entries[b]); });
  std::map<std::string_view, AncientChanges> ancients;  // by version
  std::vector<bool> goes(entries.size());
  for (const size_t i : updaters) {
    if (count <= kMaxUpdateManagers) break;
    const auto [known, is_first] = ancients.try_emplace(entries[i].api_version);
    AncientChanges& ancient = known->second;
    if (is_first) {
      ancient.place = PlaceOfAncient(places, entries, i);
      continue;
    }
    if (ancient.fields.empty()) ancient.fields.push_back(entries[ancient.place].Fields(arena));
    ancient.fields.push_back(entries[i].Fields(arena));
    ancient.time = entries[i].time;
    goes[i] = i != ancient.place;
    --count;
  }
  for (auto& [version, ancient] : ancients) {
    if (ancient.fields.empty()) continue;
    ManagedEntry& entry = entries[ancient.place];
    entry.manager = kAncientChanges;
    entry.subresource = {};
    entry.SetFields(object::UnionOfAll(arena, std::move(ancient.fields)));
    entry.time = ancient.time;
  }
  size_t at = 0;
  std::erase_if(entries, [&](const ManagedEntry&) { return goes[at++]; });
}

// Whether the text of an entry might have members of a set in it. Most changes are of few fields,
// and most entries have none of their names, which saves reading them.
bool MayHold(std::string_view text, const object::FieldSet& set, size_t& looked) {
  constexpr size_t kMaxLooks = 8;
  std::string needle;
  for (const object::FieldNode& node : set.nodes()) {
    if (MayHold(text, node.children, looked)) return true;
    if (!node.member) continue;
    if (!node.element.is_field() || ++looked > kMaxLooks) return true;
    const std::string_view name = node.element.name();
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return c < 0x80 && (std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '/');
    });
    if (!plain) return true;
    needle = "\"f:";
    needle.append(name).push_back('"');
    if (text.find(needle) != std::string_view::npos) return true;
  }
  return false;
}

bool MayBeTouched(const ManagedEntry& entry, const object::FieldChanges& changes) {
  if (entry.text().empty()) return true;
  size_t looked = 0;
  return MayHold(entry.text(), changes.modified, looked) ||
         MayHold(entry.text(), changes.added, looked) ||
         MayHold(entry.text(), changes.removed, looked);
}

object::FieldChanges Owned(Arena& arena, const ResetFields& reset,
                           const object::FieldChanges& changes) {
  const auto owned = [&](const object::FieldSet& set) {
    return set.empty() ? set : reset.Apply(arena, object::Difference(arena, set, UnownedFields()));
  };
  return {owned(changes.added), owned(changes.modified), owned(changes.removed)};
}

}  // namespace

std::optional<object::FieldChanges> VersionedChanges::Compare(std::string_view api_version) {
  const object::MessageDesc* type = before_.type;
  if (type != nullptr && type->group_version->api_version != api_version) {
    type = VersionConverter::TypeIn(type, api_version);
    if (type == nullptr) return std::nullopt;
  }
  const Result<VersionedValue> before = converter_.Convert(before_, type);
  const Result<VersionedValue> after = converter_.Convert(after_, type);
  if (!before || !after) return std::nullopt;
  return Owned(arena_, reset_,
               object::CompareFields(arena_, before->shape(), before->value, after->value));
}

const object::FieldChanges* VersionedChanges::In(std::string_view api_version) {
  auto known = known_.find(api_version);
  if (known == known_.end()) known = known_.emplace(api_version, Compare(api_version)).first;
  return known->second ? &*known->second : nullptr;
}

ManagedEntry EntryOf(const FieldWriter& writer, bool applies) {
  ManagedEntry out;
  out.manager = writer.manager;
  out.applies = applies;
  out.api_version = writer.api_version;
  out.subresource = writer.subresource;
  return out;
}

std::vector<FieldConflict> ConflictsWith(Arena& arena, VersionedChanges& changes,
                                         ManagedFields& managed, const ManagedEntry* self) {
  std::vector<FieldConflict> out;
  for (ManagedEntry& entry : managed.entries()) {
    if (self != nullptr && entry.SameManager(*self)) continue;
    const object::FieldChanges* changed = changes.In(entry.api_version);
    if (changed == nullptr || (changed->modified.empty() && changed->added.empty())) continue;
    if (!MayBeTouched(entry, *changed)) continue;
    const object::FieldSet& fields = entry.Fields(arena);
    const object::FieldSet taken =
        object::Union(arena, object::Intersection(arena, fields, changed->modified),
                      object::Intersection(arena, fields, changed->added));
    if (!taken.empty()) out.push_back({entry, taken});
  }
  return out;
}

void TakeChanges(Arena& arena, VersionedChanges& changes, ManagedFields& managed,
                 const ManagedEntry* self) {
  std::vector<ManagedEntry> kept;
  kept.reserve(managed.entries().size());
  for (ManagedEntry& entry : managed.entries()) {
    if (self == nullptr || !entry.SameManager(*self)) {
      const object::FieldChanges* changed = changes.In(entry.api_version);
      if (changed == nullptr) continue;
      if (!changed->empty() && MayBeTouched(entry, *changed)) {
        const object::FieldSet& fields = entry.Fields(arena);
        object::FieldSet left = fields;
        for (const object::FieldSet& set : {changed->modified, changed->added, changed->removed}) {
          if (!object::Intersection(arena, left, set).empty())
            left = object::Difference(arena, left, set);
        }
        entry.SetFields(left);
        if (left.empty()) continue;
      }
    }
    kept.push_back(entry);
  }
  managed.entries() = std::move(kept);
}

void GiveChangesTo(Arena& arena, const FieldWriter& writer, VersionedChanges& changes,
                   ManagedFields& managed) {
  const ManagedEntry self = EntryOf(writer, false);
  const object::FieldChanges* changed = changes.In(writer.api_version);
  const object::FieldSet own = changed == nullptr
                                   ? object::FieldSet()
                                   : object::Union(arena, changed->modified, changed->added);
  // Mostly the writer changes what it owns already, and keeps just that.
  ManagedEntry* const kept = managed.Find(self);
  if (kept != nullptr && !own.empty() && changed->removed.empty() &&
      object::TextContains(kept->text(), own)) {
    kept->time = writer.now;
    TakeChanges(arena, changes, managed, &self);
  } else {
    TakeChanges(arena, changes, managed, nullptr);
    if (!own.empty()) {
      ManagedEntry& entry = managed.FindOrAdd(self);
      entry.SetFields(object::Union(arena, own, entry.Fields(arena)));
      entry.time = writer.now;
    }
  }
  CapUpdateManagers(arena, managed);
}

bool SameButVersion(const object::Document& a, const object::Document& b) {
  const object::MessageDesc* type = a.type();
  if (type == nullptr || type != b.type()) return false;
  const object::Value* left = a.root().Find("metadata");
  const object::Value* right = b.root().Find("metadata");
  if (left == nullptr || right == nullptr || !left->is_object()) return false;
  Arena arena;
  const auto without_version = [&](const object::Value& root, const object::Value& metadata) {
    object::Value copy = object::Value::Object(arena, metadata.type(), metadata.members());
    copy.Erase("resourceVersion");
    object::Value out = root.is_map() ? object::Value::Map(arena, root.entries())
                                      : object::Value::Object(arena, type, root.members());
    out.Set(arena, "metadata", copy);
    return out;
  };
  return object::DeepEqual(without_version(a.root(), *left), without_version(b.root(), *right));
}

}  // namespace skiff::apiserver
