#include "client/fake_objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/random.h"
#include "client/fake_meta.h"
#include "client/fake_rules.h"
#include "object/field_path.h"
#include "object/json/encode.h"
#include "object/resource.h"
#include "object/selector/field_selector.h"
#include "object/selector/label_selector.h"

namespace skiff::client {
namespace {

// A scalar as field selectors compare it; "" for what is absent or no scalar.
std::string FieldText(const object::Document& object, std::string_view field) {
  const Result<object::FieldPath> path = object::FieldPath::Parse(field);
  if (!path) return {};
  const Result<const object::Value*> value = path->Get(object.root());
  if (!value || *value == nullptr) return {};
  if ((*value)->is_string()) return std::string((*value)->AsText());
  return (*value)->tag() < object::Tag::kList ? object::EncodeJson(**value) : std::string();
}

Result<int64_t> RevisionOf(std::string_view text) {
  int64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size()) {
    return BadRequest("invalid resource version \"" + std::string(text) + "\"");
  }
  return revision;
}

Status ExpiredContinue() {
  return Status(StatusReason::kExpired,
                "The provided continue parameter is too old to display a consistent list result.");
}

}  // namespace

std::string FakeObjects::KeyOf(const ApiResource& resource) {
  return resource.group + "/" + resource.name;
}

object::Timestamp FakeObjects::Now() const {
  return {std::chrono::duration_cast<std::chrono::seconds>(clock_.Wall()).count(), 0};
}

Result<ClientReply> FakeObjects::Do(const ClientCall& call) {
  SKIFF_RETURN_IF_ERROR(CheckServed(*call.resource));
  switch (call.verb) {
    case ClientVerb::kGet:
      return Get(call);
    case ClientVerb::kList:
      return List(call);
    case ClientVerb::kCreate:
      return call.subresource.empty() ? Create(call) : CreateWithin(call);
    case ClientVerb::kUpdate:
      return Update(call);
    case ClientVerb::kPatch:
      return Patch(call);
    case ClientVerb::kDelete:
      return Delete(call);
    case ClientVerb::kDeleteCollection:
      return DeleteCollection(call);
  }
  return std::unexpected(FakeUnknownResource());
}

ObjectPtr FakeObjects::Find(const ApiResource& resource, const ObjectName& name) const {
  const auto objects = objects_.find(KeyOf(resource));
  if (objects == objects_.end()) return nullptr;
  const auto found = objects->second.find(name);
  return found == objects->second.end() ? nullptr : InForm(resource, false, found->second);
}

std::vector<ObjectPtr> FakeObjects::All(const ApiResource& resource,
                                        std::string_view name_space) const {
  std::vector<ObjectPtr> all;
  const auto objects = objects_.find(KeyOf(resource));
  if (objects == objects_.end()) return all;
  for (const auto& [name, object] : objects->second) {
    if (!name_space.empty() && name.name_space != name_space) continue;
    all.push_back(InForm(resource, false, object));
  }
  return all;
}

Result<ObjectPtr> FakeObjects::Current(const ApiResource& resource, const ObjectName& name) const {
  ObjectPtr object = Find(resource, name);
  if (object == nullptr) return std::unexpected(FakeNotFound(resource, name.name));
  return object;
}

ObjectPtr FakeObjects::InForm(const ApiResource& resource, bool metadata_only,
                              const ObjectPtr& object) {
  if (metadata_only) return PartialOf(*object);
  if (object->api_version() == resource.api_version()) return object;
  Result<std::shared_ptr<object::Document>> other = InFormOf(resource, *object);
  return other ? ObjectPtr(std::move(*other)) : object;
}

Result<std::function<bool(const object::Document&)>> FakeObjects::Matcher(
    std::string_view name_space, std::string_view label_selector, std::string_view field_selector) {
  SKIFF_ASSIGN_OR_RETURN(object::LabelSelector labels,
                         object::LabelSelector::Parse(label_selector));
  SKIFF_ASSIGN_OR_RETURN(object::FieldSelector fields,
                         object::FieldSelector::Parse(field_selector));
  return [labels = std::move(labels), fields = std::move(fields),
          name_space = std::string(name_space)](const object::Document& object) {
    if (!name_space.empty() && NameOf(object).name_space != name_space) return false;
    if (!labels.Matches(object.root().FindPath({"metadata", "labels"}))) return false;
    for (const object::FieldTerm& term : fields.terms()) {
      if ((FieldText(object, term.field) == term.value) == term.negated) return false;
    }
    return true;
  };
}

Result<ClientReply> FakeObjects::Get(const ClientCall& call) {
  SKIFF_ASSIGN_OR_RETURN(const ObjectPtr object, Current(*call.resource, call.target));
  ClientReply reply;
  reply.object = InForm(*call.resource, call.metadata_only, object);
  return reply;
}

Result<ClientReply> FakeObjects::List(const ClientCall& call) {
  if (!call.continue_token.empty()) return ListMore(call);
  if (!call.resource_version.empty()) {
    SKIFF_ASSIGN_OR_RETURN(const int64_t wanted, RevisionOf(call.resource_version));
    if (wanted > revision_) {
      Status status(StatusReason::kTimeout, "Too large resource version: " + call.resource_version +
                                                ", current: " + std::to_string(revision_));
      status.AddCause({"ResourceVersionTooLarge", "Too large resource version", ""});
      return std::unexpected(std::move(status));
    }
    if (call.resource_version_match == "Exact" && wanted < expired_) {
      return Fail(StatusReason::kExpired, "The resourceVersion for the provided list is too old.");
    }
  }
  SKIFF_ASSIGN_OR_RETURN(const auto matches,
                         Matcher(call.target.name_space, call.label_selector, call.field_selector));
  std::vector<ObjectPtr> items;
  for (const ObjectPtr& object : All(*call.resource)) {
    if (matches(*object)) items.push_back(InForm(*call.resource, call.metadata_only, object));
  }
  // As a real server does, a limit is honoured only where the state must be the newest.
  const bool from_cache = call.resource_version == "0";
  return PageOf(std::move(items), revision_, from_cache ? 0 : call.limit);
}

Result<ClientReply> FakeObjects::ListMore(const ClientCall& call) {
  const auto found = pages_.find(call.continue_token);
  if (found == pages_.end() || found->second.revision < expired_) {
    return std::unexpected(ExpiredContinue());
  }
  Page page = std::move(found->second);
  pages_.erase(found);
  return PageOf(std::move(page.rest), page.revision, call.limit);
}

ClientReply FakeObjects::PageOf(std::vector<ObjectPtr> items, int64_t revision, int64_t limit) {
  ClientReply reply;
  reply.resource_version = std::to_string(revision);
  if (limit > 0 && items.size() > static_cast<size_t>(limit)) {
    reply.continue_token = "more-" + std::to_string(++last_id_);
    pages_[reply.continue_token] = {revision, {items.begin() + limit, items.end()}};
    items.resize(static_cast<size_t>(limit));
  }
  reply.items = std::move(items);
  return reply;
}

ObjectPtr FakeObjects::Put(const ApiResource& resource, std::string_view json) {
  const std::shared_ptr<object::Document> object =
      MutableCopy(*ParseObject(resource, json).value());
  FakeMeta meta(*object);
  if (resource.namespaced && meta.Text("namespace").empty()) meta.SetText("namespace", "default");
  const ObjectPtr old = Find(resource, NameOf(*object));
  for (const std::string_view name : {"uid", "creationTimestamp"}) {
    if (old != nullptr && object->root().FindPath({"metadata", name}) == nullptr) {
      meta.Take(name, *old);
    }
  }
  if (meta.Text("uid").empty()) meta.SetText("uid", NewUuid(random_));
  if (!meta.Time("creationTimestamp")) meta.SetTime("creationTimestamp", Now());
  if (IsNamespace(resource) && object->root().Find("spec") == nullptr) {
    PrepareForCreate(resource, *object);
  }
  return Write(resource, object);
}

void FakeObjects::Remove(const ApiResource& resource, const ObjectName& name) {
  if (const ObjectPtr object = Find(resource, name); object != nullptr) Erase(resource, *object);
}

ObjectPtr FakeObjects::Write(const ApiResource& resource,
                             std::shared_ptr<object::Document> object) {
  FakeMeta(*object).SetText("resourceVersion", std::to_string(++revision_));
  ObjectPtr& stored = objects_[KeyOf(resource)][NameOf(*object)];
  const ObjectPtr before = std::exchange(stored, std::move(object));
  const ObjectPtr written = stored;
  Record({revision_, KeyOf(resource), before, written, false});
  return written;
}

ObjectPtr FakeObjects::Erase(const ApiResource& resource, const object::Document& object) {
  const std::shared_ptr<object::Document> last = MutableCopy(object);
  FakeMeta(*last).SetText("resourceVersion", std::to_string(++revision_));
  Objects& objects = objects_[KeyOf(resource)];
  const auto stored = objects.find(NameOf(object));
  const ObjectPtr before = stored->second;
  objects.erase(stored);
  Record({revision_, KeyOf(resource), before, last, true});
  return last;
}

void FakeObjects::Record(Change change) {
  changes_.push_back(std::move(change));
  if (changes_.size() > kMaxChanges) {
    expired_ = changes_.front().revision;
    changes_.pop_front();
  }
  const auto listeners = listeners_;
  for (const auto& [id, listener] : listeners) listener();
}

void FakeObjects::ExpireHistory() {
  // The next revision is not that of a change, so that nobody who knows the newest state of the
  // objects knows a revision that can still be watched from.
  expired_ = ++revision_;
  changes_.clear();
  pages_.clear();
}

std::optional<std::vector<FakeObjects::Change>> FakeObjects::ChangesAfter(
    int64_t revision, const std::string& resource) const {
  if (revision < expired_) return std::nullopt;
  std::vector<Change> out;
  const auto begin = std::ranges::upper_bound(changes_, revision, {}, &Change::revision);
  std::copy_if(begin, changes_.end(), std::back_inserter(out),
               [&](const Change& change) { return change.resource == resource; });
  return out;
}

uint64_t FakeObjects::Listen(std::function<void()> on_change) {
  listeners_[++last_id_] = std::move(on_change);
  return last_id_;
}

void FakeObjects::AddCustom(ApiResource resource) {
  std::string key = KeyOf(resource);
  custom_[std::move(key)] = std::move(resource);
}

void FakeObjects::RemoveCustom(const ApiResource& resource) {
  for (const ObjectPtr& object : All(resource)) Erase(resource, *object);
  custom_.erase(KeyOf(resource));
}

void FakeObjects::SetUnavailable(std::vector<std::string> group_versions) {
  unavailable_ = std::move(group_versions);
}

Result<void> FakeObjects::CheckServed(const ApiResource& resource) const {
  if (std::ranges::count(unavailable_, resource.api_version()) != 0) {
    return Fail(StatusReason::kServiceUnavailable,
                "the server is currently unable to handle the "
                "request");
  }
  const bool known =
      object::FindResource(resource.group, resource.version, resource.name) != nullptr ||
      custom_.contains(KeyOf(resource));
  if (!known) return std::unexpected(FakeUnknownResource());
  return {};
}

ServedApi FakeObjects::Discover() const {
  ServedApi out;
  out.unavailable = unavailable_;
  const auto answers = [&](const ApiResource& resource) {
    return std::ranges::count(unavailable_, resource.api_version()) == 0;
  };
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    if (!version.enabled_by_default) continue;
    for (const object::ResourceDesc& desc : version.resources) {
      if (object::FindPreferredResource(version.desc->group, desc.name) != &desc) continue;
      const ApiResource& resource = BuiltIn(version.desc->group, version.desc->version, desc.name);
      if (!answers(resource)) continue;
      DiscoveredResource& found = out.resources.emplace_back(DiscoveredResource{resource, {}});
      desc.verbs.ForEachName([&](std::string_view verb) { found.verbs.emplace_back(verb); });
    }
  }
  for (const auto& [key, resource] : custom_) {
    if (!answers(resource)) continue;
    out.resources.push_back(
        {resource,
         {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}});
  }
  return out;
}

}  // namespace skiff::client
