#include "tests/sim/ledger.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/object_output.h"
#include "object/resource.h"

namespace skiff::sim {
namespace {

constexpr std::string_view kPrefix = "/registry/";

std::string TextAt(const object::Value& value, std::initializer_list<std::string_view> path) {
  const object::Value* found = value.FindPath(path);
  return found != nullptr && found->is_string() ? std::string(found->AsText()) : std::string();
}

std::vector<OwnerLink> OwnersOf(const object::Value& root) {
  std::vector<OwnerLink> out;
  const object::Value* owners = root.FindPath({"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_list()) return out;
  for (const object::Value& owner : owners->items()) {
    const object::Value* blocks = owner.Find("blockOwnerDeletion");
    out.push_back({TextAt(owner, {"apiVersion"}), TextAt(owner, {"kind"}), TextAt(owner, {"name"}),
                   TextAt(owner, {"uid"}),
                   blocks != nullptr && blocks->tag() == object::Tag::kBool && blocks->AsBool()});
  }
  return out;
}

std::vector<std::string> FinalizersOf(const object::Value& root) {
  std::vector<std::string> out;
  const object::Value* finalizers = root.FindPath({"metadata", "finalizers"});
  if (finalizers == nullptr || !finalizers->is_list()) return out;
  for (const object::Value& finalizer : finalizers->items()) out.emplace_back(finalizer.AsText());
  return out;
}

// "configmaps" of /registry/configmaps/ns/name.
std::string ResourceOf(std::string_view key, bool namespaced) {
  key.remove_prefix(std::min(kPrefix.size(), key.size()));
  for (int parts = namespaced ? 2 : 1; parts > 0; --parts) {
    const size_t slash = key.rfind('/');
    if (slash == std::string_view::npos) break;
    key = key.substr(0, slash);
  }
  return std::string(key);
}

// What has no name is not reached by one: numbers that are taken, and servers that are alive.
bool SaysItsKey(const Recorded& object) {
  if (object.name.empty()) return object.kind == "RangeAllocation" || object.kind == "Endpoints";
  const std::string end =
      (object.name_space.empty() ? "" : "/" + object.name_space) + "/" + object.name;
  return object.key.ends_with(end);
}

bool Matters(const Recorded& object) {
  return object.kind != "Lease" && object.kind != "Event" && object.kind != "Endpoints";
}

RecordedPtr Read(const store::KeyValue& entry) {
  if (!entry.key.starts_with(kPrefix)) return nullptr;
  Result<object::Document> document =
      apiserver::DecodeStored(entry.value.view(), entry.mod_revision);
  if (!document) return nullptr;
  auto out = std::make_shared<Recorded>();
  const object::Value& root = document->root();
  out->revision = entry.mod_revision.value;
  out->key = entry.key;
  out->name_space = TextAt(root, {"metadata", "namespace"});
  out->name = TextAt(root, {"metadata", "name"});
  out->kind = TextAt(root, {"kind"});
  out->api_version = TextAt(root, {"apiVersion"});
  out->uid = TextAt(root, {"metadata", "uid"});
  out->resource = ResourceOf(entry.key, !out->name_space.empty());
  out->marker = TextAt(root, {"metadata", "annotations", "sim"});
  out->owners = OwnersOf(root);
  out->finalizers = FinalizersOf(root);
  out->deleting = client::IsDeleting(*document);
  out->object = std::make_shared<const object::Document>(std::move(*document));
  return out;
}

}  // namespace

bool Recorded::HasFinalizer(std::string_view finalizer) const {
  return std::ranges::find(finalizers, finalizer) != finalizers.end();
}

std::string StoredKey(const client::ApiResource& resource, const client::ObjectName& name) {
  std::string out(kPrefix);
  if (resource.type == nullptr) {
    out += resource.group + "/" + resource.name + "/";
  } else {
    const object::ResourceDesc* desc =
        object::FindResource(resource.group, resource.version, resource.name);
    out += std::string(desc->hub->storage->prefix) + "/";
  }
  if (!name.name_space.empty()) out += name.name_space + "/";
  return out + name.name;
}

void Ledger::Adopt(const Ledger& other) {
  revision_ = heard_revision_ = other.revision_;
  objects_ = other.objects_;
  by_uid_ = other.by_uid_;
}

void Ledger::Follow(store::Store& store) {
  frozen_ = false;
  watch_ = store.StartWatch(
      {.range = store::KeyRange::Prefix(kPrefix), .from = {heard_revision_ + 1}}, this);
  store.CurrentRevision([this](Result<store::Revision> revision) {
    if (!revision || revision->value >= heard_revision_) return;
    fault_("the store went back to revision " + std::to_string(revision->value) + " from " +
           std::to_string(heard_revision_));
  });
}

void Ledger::Unfollow() {
  frozen_ = true;
  watch_.reset();
}

void Ledger::OnEvents(std::span<const store::Event> events) {
  if (frozen_) return;
  for (const store::Event& event : events) {
    heard_.push_back(event);
    heard_revision_ = event.revision().value;
  }
}

void Ledger::CatchUp() {
  const std::vector<store::Event> heard = std::exchange(heard_, {});
  for (const store::Event& event : heard) Take(event);
}

void Ledger::Take(const store::Event& event) {
  const int64_t revision = event.revision().value;
  if (revision < revision_) {
    fault_("revision " + std::to_string(revision) + " came after " + std::to_string(revision_));
  }
  revision_ = revision;
  Entry entry{.revision = revision, .time = now_(), .before = Find(event.entry.key), .after = {}};
  if (event.kind == store::Event::Kind::kPut) {
    entry.after = Read(event.entry);
    if (entry.after == nullptr) return;
  }
  if (entry.after != nullptr && !SaysItsKey(*entry.after)) {
    fault_("the key " + entry.after->key + " holds the object " + entry.after->name_space + "/" +
           entry.after->name);
  }
  if (entry.before != nullptr) by_uid_.erase(entry.before->uid);
  if (entry.after != nullptr) {
    objects_[event.entry.key] = entry.after;
    by_uid_[entry.after->uid] = entry.after;
  } else {
    objects_.erase(event.entry.key);
  }
  const Recorded* about = entry.after != nullptr ? entry.after.get() : entry.before.get();
  if (about == nullptr) return;
  if (Matters(*about)) last_change_ = entry.time;
  history_[event.entry.key].push_back(entry);
  for (const Listener& listener : listeners_) listener(entry);
}

RecordedPtr Ledger::Find(const std::string& key) const {
  const auto at = objects_.find(key);
  return at == objects_.end() ? nullptr : at->second;
}

RecordedPtr Ledger::FindUid(const std::string& uid) const {
  const auto at = by_uid_.find(uid);
  return at == by_uid_.end() ? nullptr : at->second;
}

const std::vector<Entry>& Ledger::History(const std::string& key) const {
  static const std::vector<Entry> none;
  const auto at = history_.find(key);
  return at == history_.end() ? none : at->second;
}

RecordedPtr Ledger::At(const std::string& key, int64_t revision) const {
  const std::vector<Entry>& history = History(key);
  const auto after = std::ranges::upper_bound(history, revision, {}, &Entry::revision);
  if (after != history.begin()) return std::prev(after)->after;
  // What was there before the run has no history of its own.
  const RecordedPtr first = history.empty() ? Find(key) : history.front().before;
  return first != nullptr && first->revision <= revision ? first : nullptr;
}

}  // namespace skiff::sim
