#include "tests/sim/definitions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace skiff::sim {
namespace {

constexpr std::string_view kDomain = ".sim.example.org";
constexpr std::string_view kDefinitionsPrefix =
    "/registry/apiextensions.k8s.io/customresourcedefinitions/";
constexpr std::string_view kServicesPrefix = "/registry/apiregistration.k8s.io/apiservices/";
constexpr size_t kNames = 3;
constexpr uint64_t kObjects = 5;
constexpr size_t kWatchesAtOnce = 4;
constexpr std::string_view kHome = "default";
// How long what is served may take to be what is defined, without faults.
constexpr int kLooks = 120;

const client::ApiResource& Definitions() {
  return client::BuiltIn("apiextensions.k8s.io", "v1", "customresourcedefinitions");
}

bool IsOfSim(std::string_view group) { return group.ends_with(kDomain); }

bool IsDefinition(const Recorded& object) { return object.key.starts_with(kDefinitionsPrefix); }

// "definitions-0.sim.example.org/things1" of the objects of such a definition.
bool IsCustom(const Recorded& object) {
  return IsOfSim(std::string_view(object.resource).substr(0, object.resource.find('/')));
}

// Definitions are stored in an older version than clients see, whose members have the same names.
std::string TextAt(const Recorded& definition, std::initializer_list<std::string_view> path) {
  const object::Value* found = definition.object->root().FindPath(path);
  return found != nullptr && found->is_string() ? std::string(found->AsText()) : std::string();
}

std::string GroupOf(const Recorded& definition) { return TextAt(definition, {"spec", "group"}); }
std::string PluralOf(const Recorded& definition) {
  return TextAt(definition, {"spec", "names", "plural"});
}

bool Has(const Recorded& definition, std::string_view condition) {
  const object::Value* list = definition.object->root().FindPath({"status", "conditions"});
  if (list == nullptr || !list->is_list()) return false;
  return std::ranges::any_of(list->items(), [&](const object::Value& each) {
    return each.Find("type")->AsText() == condition && each.Find("status")->AsText() == "True";
  });
}

// Under spec.names or status.acceptedNames.
std::set<std::string> NamesOf(const Recorded& definition, std::string_view owner,
                              std::string_view member) {
  std::set<std::string> out;
  for (const std::string_view name : {"plural", "singular"}) {
    if (std::string text = TextAt(definition, {owner, member, name}); !text.empty()) {
      out.insert(std::move(text));
    }
  }
  const object::Value* list = definition.object->root().FindPath({owner, member, "shortNames"});
  if (list == nullptr || !list->is_list()) return out;
  for (const object::Value& each : list->items()) out.emplace(each.AsText());
  return out;
}

std::vector<RecordedPtr> DefinitionsIn(const Ledger& ledger) {
  std::vector<RecordedPtr> out;
  for (auto at = ledger.objects().lower_bound(std::string(kDefinitionsPrefix));
       at != ledger.objects().end() && at->first.starts_with(kDefinitionsPrefix); ++at) {
    out.push_back(at->second);
  }
  return out;
}

// Whether another definition of the group has one of the names that this one wants.
bool HasRival(const Ledger& ledger, const Recorded& definition) {
  const std::set<std::string> wanted = NamesOf(definition, "spec", "names");
  for (const RecordedPtr& rival : DefinitionsIn(ledger)) {
    if (rival->uid == definition.uid || GroupOf(*rival) != GroupOf(definition)) continue;
    for (const std::string& name : NamesOf(*rival, "status", "acceptedNames")) {
      if (wanted.contains(name)) return true;
    }
  }
  return false;
}

// "things0", "things1": of all that is established in the group.
std::set<std::string> EstablishedIn(const Ledger& ledger, std::string_view group) {
  std::set<std::string> out;
  for (const RecordedPtr& definition : DefinitionsIn(ledger)) {
    if (GroupOf(*definition) == group && Has(*definition, "Established")) {
      out.insert(PluralOf(*definition));
    }
  }
  return out;
}

}  // namespace

// Follows one resource until its watch ends, which it must when the definition goes that answered.
class DefinitionsActor::OpenWatch final : public client::ClientWatchSink {
 public:
  OpenWatch(Cluster& cluster, const client::ApiResource& resource, std::string definition,
            bool deaf)
      : cluster_(cluster), resource_(resource), definition_(std::move(definition)), deaf_(deaf) {}

  void Open(SimTransport& transport) {
    watch_ = transport.Watch({.resource = &resource_, .send_initial_events = true}, this);
  }

  void OnEvents(std::span<const client::ClientEvent> events) override {
    cluster_.ledger().CatchUp();
    for (const client::ClientEvent& event : events) {
      if (!event.initial_end) continue;
      const int64_t revision = std::stoll(std::string(client::ResourceVersionOf(*event.object)));
      const RecordedPtr definition = cluster_.ledger().At(definition_, revision);
      uid_ = definition == nullptr ? "" : definition->uid;
    }
  }
  void OnEnd(std::optional<Status>) override { ended_ = !deaf_; }

  bool ended() const { return ended_; }
  bool outlives_its_definition() const {
    return !ended_ && !uid_.empty() && cluster_.ledger().FindUid(uid_) == nullptr;
  }
  const std::string& definition() const { return definition_; }

 private:
  Cluster& cluster_;
  const client::ApiResource& resource_;
  const std::string definition_;  // its key
  const bool deaf_;
  std::string uid_;  // of the definition that answered, if that is known
  bool ended_ = false;
  std::unique_ptr<client::ClientWatch> watch_;
};

DefinitionsActor::DefinitionsActor(Cluster& cluster, Guarantees& guarantees, int number)
    : Actor(cluster, guarantees, "definitions-" + std::to_string(number)),
      group_(name() + std::string(kDomain)),
      defined_(kNames) {
  for (size_t i = 0; i < kNames; ++i) {
    for (const bool namespaced : {false, true}) {
      resources_.push_back({.group = group_,
                            .version = "v1",
                            .name = "things" + std::to_string(i),
                            .kind = "Thing" + std::to_string(i),
                            .namespaced = namespaced});
    }
  }
}

DefinitionsActor::~DefinitionsActor() = default;

const client::ApiResource& DefinitionsActor::Resource(size_t index, bool namespaced) const {
  return resources_[2 * index + (namespaced ? 1 : 0)];
}

client::ObjectName DefinitionsActor::DefinitionName(size_t index) const {
  return {"", resources_[2 * index].name + "." + group_};
}

// v1 is always served, so that there is a way to what there is; either version is stored.
std::string DefinitionsActor::Versions() {
  const bool second_is_stored = OneIn(3);
  const auto version = [&](const char* name, bool served, bool stored) {
    return std::string("{\"name\":\"") + name + "\",\"served\":" + (served ? "true" : "false") +
           ",\"storage\":" + (stored ? "true" : "false") +
           ",\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"description\":\"" +
           std::to_string(Draw(100)) + "\",\"x-kubernetes-preserve-unknown-fields\":true}}}";
  };
  // A version that has been stored may have objects, and stays.
  return "\"versions\":[" + version("v1", true, !second_is_stored) + "," +
         version("v2", OneIn(2), second_is_stored) + "]";
}

std::string DefinitionsActor::Spec(size_t index) {
  const client::ApiResource& resource = Resource(index, defined_[index].namespaced);
  return "\"spec\":{\"group\":\"" + group_ + "\",\"scope\":\"" +
         (resource.namespaced ? "Namespaced" : "Cluster") + "\",\"names\":{\"plural\":\"" +
         resource.name + "\",\"singular\":\"thing" + std::to_string(index) + "\",\"kind\":\"" +
         resource.kind + "\",\"listKind\":\"" + resource.kind + "List\"" +
         (OneIn(3) ? R"(,"shortNames":["th"])" : "") + "}," + Versions() + "}";
}

client::ObjectName DefinitionsActor::DrawObject(size_t index) {
  return {defined_[index].namespaced ? std::string(kHome) : "",
          "object-" + std::to_string(Draw(kObjects))};
}

Task<void> DefinitionsActor::Define(size_t index) {
  cluster_.ledger().CatchUp();
  const bool is_there =
      cluster_.ledger().Find(StoredKey(Definitions(), DefinitionName(index))) != nullptr;
  // Of what is there the scope is known; it cannot change.
  if (!is_there && defined_[index].held.empty()) defined_[index].namespaced = OneIn(2);
  const std::string spec = "|," + Spec(index);
  const client::ObjectName definition = DefinitionName(index);
  const Result<client::ObjectPtr> made = co_await Create(Definitions(), definition, spec);
  if (made) cluster_.counters().Count("definitions made");
}

Task<void> DefinitionsActor::Undefine(size_t index) {
  client::DeleteChoice how;
  if (OneIn(3)) how.propagation = "Foreground";
  const client::ObjectName definition = DefinitionName(index);
  const Result<void> deleted = co_await Delete(Definitions(), definition, how);
  if (deleted) cluster_.counters().Count("definitions deleted");
}

Task<void> DefinitionsActor::MakeObject(size_t index) {
  const client::ApiResource& resource = Resource(index, defined_[index].namespaced);
  const client::ObjectName object = DrawObject(index);
  const bool held = OneIn(6);
  const std::string rest =
      (held ? ",\"finalizers\":[\"" + std::string(kHoldFinalizer) + "\"]" : std::string()) +
      "|,\"spec\":{\"size\":" + std::to_string(Draw(100)) + "}";
  if (held) defined_[index].held.push_back(object);
  const Result<client::ObjectPtr> made = co_await Create(resource, object, rest);
  if (made) cluster_.counters().Count("custom objects made");
}

Task<void> DefinitionsActor::ChangeObject(size_t index) {
  const client::ApiResource& resource = Resource(index, defined_[index].namespaced);
  const client::ObjectName object = DrawObject(index);
  switch (Draw(3)) {
    case 0: {
      const client::DeleteChoice how;
      co_await Delete(resource, object, how);
      break;
    }
    case 1: {
      const Result<client::ObjectPtr> known = co_await Get(resource, object);
      if (known) co_await Update(resource, *known);
      break;
    }
    default: {
      const std::string change = "|,\"spec\":{\"size\":" + std::to_string(Draw(100)) + "}";
      co_await Patch(resource, object, change);
    }
  }
}

Task<void> DefinitionsActor::Look(size_t index) {
  const client::ApiResource& resource = Resource(index, defined_[index].namespaced);
  if (OneIn(2)) {
    const std::string where(resource.namespaced && OneIn(2) ? kHome : "");
    co_await List(resource, where);
    co_return;
  }
  if (watches_.size() >= kWatchesAtOnce) co_return;
  watches_.push_back(std::make_unique<OpenWatch>(
      cluster_, resource, StoredKey(Definitions(), DefinitionName(index)), deaf_));
  watches_.back()->Open(*transport_);
}

Task<void> DefinitionsActor::Release(size_t index) {
  std::deque<client::ObjectName>& held = defined_[index].held;
  if (held.empty()) co_return;
  const client::ObjectName object = held.front();
  const client::ApiResource& resource = Resource(index, !object.name_space.empty());
  const Result<client::ObjectPtr> answer = co_await Patch(resource, object, ",\"finalizers\":null");
  cluster_.ledger().CatchUp();
  const bool gone = !answer && answer.error().reason() == StatusReason::kNotFound &&
                    cluster_.ledger().Find(StoredKey(resource, object)) == nullptr;
  if (answer || gone) held.pop_front();
}

Task<void> DefinitionsActor::BeReckless(size_t index) {
  co_await MakeObject(index);
  co_await Undefine(index);
  const client::ObjectName definition = DefinitionName(index);
  co_await Patch(Definitions(), definition, ",\"finalizers\":null");
}

Task<void> DefinitionsActor::Step() {
  std::erase_if(watches_, [](const auto& watch) { return watch->ended(); });
  const size_t index = Draw(kNames);
  switch (Draw(12)) {
    case 0:
    case 1:
      co_await Define(index);
      break;
    case 2:
      // Objects are made and the definition goes again before it has said what it is.
      co_await Define(index);
      co_await MakeObject(index);
      co_await Undefine(index);
      break;
    case 3:
      co_await Undefine(index);
      if (OneIn(2)) co_await MakeObject(index);
      if (OneIn(2)) co_await Define(index);
      break;
    case 4: {
      const client::ObjectName definition = DefinitionName(index);
      const std::string versions = "|,\"spec\":{" + Versions() + "}";
      co_await Patch(Definitions(), definition, versions);
      break;
    }
    case 5:
    case 6:
    case 7:
      co_await MakeObject(index);
      break;
    case 8:
    case 9:
      co_await ChangeObject(index);
      break;
    case 10:
      if (OneIn(2)) co_await Release(index);
      if (reckless_) co_await BeReckless(index);
      break;
    default:
      co_await Look(index);
  }
}

Task<void> DefinitionsActor::CleanUp() {
  for (size_t i = 0; i < kNames; ++i) {
    while (!defined_[i].held.empty()) {
      co_await Release(i);
      if (!defined_[i].held.empty()) co_await Pause(process_.executor, std::chrono::seconds(1));
    }
  }
  co_await CompareServed();
  co_await CompareDiscovery();
}

Task<void> DefinitionsActor::CompareServed() {
  for (const client::ApiResource& resource : resources_) {
    std::string left = "the server does not answer";
    for (int look = 0; !left.empty() && look < kLooks; ++look) {
      cluster_.ledger().CatchUp();
      const std::set<std::string> before = EstablishedIn(cluster_.ledger(), group_);
      client::ClientCall call{.verb = client::ClientVerb::kList, .resource = &resource};
      const Result<client::ClientReply> answer = co_await client_.List(std::move(call));
      cluster_.ledger().CatchUp();
      const bool wanted = before.contains(resource.name);
      const bool quiet = before == EstablishedIn(cluster_.ledger(), group_);
      if (quiet && wanted && answer) left.clear();
      if (quiet && !wanted && !answer && answer.error().reason() == StatusReason::kNotFound) {
        left.clear();
      }
      if (left.empty()) break;
      left = resource.name + "." + group_ + (wanted ? " is" : " is not") + " defined, but " +
             (answer ? "is served" : "the answer is " + answer.error().ToString());
      co_await Pause(process_.executor, std::chrono::seconds(1));
    }
    if (!left.empty()) cluster_.Fail(left);
    co_await List(resource, "");
  }
}

Task<void> DefinitionsActor::CompareDiscovery() {
  std::string left;
  for (int look = 0; look < kLooks; ++look) {
    const Result<client::ServedApi> served = co_await client_.Discover();
    cluster_.ledger().CatchUp();
    std::set<std::string> told;
    if (served) {
      for (const client::DiscoveredResource& each : served->resources) {
        if (each.resource.group == group_) told.insert(each.resource.name);
      }
    }
    if (served && told == EstablishedIn(cluster_.ledger(), group_)) co_return;
    left = !served ? "discovery is not answered" : "discovery does not tell what is defined in ";
    co_await Pause(process_.executor, std::chrono::seconds(1));
  }
  cluster_.Fail(left + group_);
}

std::string DefinitionsActor::Unsettled() const {
  for (const auto& watch : watches_) {
    if (watch->outlives_its_definition()) {
      return "a watch has outlived its definition, " + watch->definition();
    }
  }
  const bool promised =
      cluster_.ledger().Find(std::string(kServicesPrefix) + "v1." + group_) != nullptr;
  const bool defined = !EstablishedIn(cluster_.ledger(), group_).empty();
  if (promised == defined) return "";
  return (promised ? "an API service is left of " : "there is no API service of ") + group_;
}

DefinitionRules::DefinitionRules(Cluster& cluster) : cluster_(cluster) {
  cluster_.ledger().AddListener([this](const Entry& entry) { OnEntry(entry); });
}

void DefinitionRules::Show(const Entry& entry) {
  const Recorded& object = entry.after != nullptr ? *entry.after : *entry.before;
  if (!Cluster::verbose || !(IsCustom(object) || IsDefinition(object))) return;
  std::string told = "  " + std::to_string(entry.revision) + " " + object.key + " " + object.uid;
  if (entry.after == nullptr) told += " is gone";
  if (entry.after != nullptr && object.deleting) told += " is being deleted";
  for (const std::string& finalizer : object.finalizers) told += " " + finalizer;
  if (IsDefinition(object) && Has(object, "Established")) told += ", established";
  cluster_.Tell(told);
}

void DefinitionRules::OnEntry(const Entry& entry) {
  const Ledger& ledger = cluster_.ledger();
  Show(entry);
  if (entry.before == nullptr && entry.after != nullptr && IsCustom(*entry.after)) {
    if (DefinitionOf(ledger, *entry.after) != nullptr) return;
    return cluster_.Fail("something was made that nobody defines: " + entry.after->key);
  }
  if (entry.before == nullptr || !IsDefinition(*entry.before)) return;
  if (entry.after != nullptr && entry.after->uid == entry.before->uid) return;
  const std::string prefix =
      "/registry/" + GroupOf(*entry.before) + "/" + PluralOf(*entry.before) + "/";
  const auto left = ledger.objects().lower_bound(prefix);
  if (left != ledger.objects().end() && left->first.starts_with(prefix)) {
    cluster_.Fail("something has survived its definition: " + left->first);
  }
  cluster_.counters().Count("definitions gone");
}

RecordedPtr DefinitionOf(const Ledger& ledger, const Recorded& object) {
  if (!IsCustom(object)) return nullptr;
  const size_t slash = object.resource.find('/');
  return ledger.Find(std::string(kDefinitionsPrefix) + object.resource.substr(slash + 1) + "." +
                     object.resource.substr(0, slash));
}

std::string DefinitionsOutOfOrder(const Ledger& ledger) {
  for (const RecordedPtr& definition : DefinitionsIn(ledger)) {
    if (definition->deleting) return definition->key + " does not go";
    const bool rival = HasRival(ledger, *definition);
    if (!Has(*definition, "NamesAccepted") || !Has(*definition, "Established")) {
      if (!rival) return definition->key + " does not get its names";
    } else if (rival) {
      return definition->key + " has a name that another has, too";
    }
  }
  return "";
}

}  // namespace skiff::sim
