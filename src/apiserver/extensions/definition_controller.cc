#include "apiserver/extensions/definition_controller.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "apiserver/managed_fields/entries.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/delete_object.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "views/apiextensions.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::apiextensions_k8s_io_v1;

constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
// How often it is looked whether objects that wait for others' finalizers are gone.
constexpr Duration kLookInterval = std::chrono::milliseconds(500);
// After how long a status is written again that could not be.
constexpr Duration kStatusInterval = std::chrono::seconds(1);

bool IsDeleting(const object::Document& definition) {
  return v1::CustomResourceDefinition(definition).metadata().deletion_timestamp().has_value();
}

// Whether what lies in the store where the definition's objects would is a built-in resource's.
bool OverlapsBuiltIn(std::string_view group, std::string_view plural) {
  const object::ResourceDesc* builtin = object::FindPreferredResource(group, plural);
  return builtin != nullptr && builtin->hub->storage != nullptr &&
         builtin->hub->storage->prefix == std::string(group) + "/" + std::string(plural);
}

}  // namespace

struct DefinitionController::Known {
  std::string name;
  std::string uid;
  std::string group;
  std::string plural;
  int64_t generation = 0;
  SharedBytes stored;
  DefinitionNames granted;  // as last decided, which may not be stored yet
  bool contented = false;   // it has all the names that it wants
  DefinitionNames served_names;
  std::shared_ptr<ServedDefinition> served;
  // Creations that may still be under way, of all that has been served under the name.
  std::vector<std::weak_ptr<const void>> creations;
  std::shared_ptr<Cleanup> cleanup;       // null: it is not being deleted
  Duration look_again = Clock::kForever;  // since its status could not be written
};

struct DefinitionController::Mailbox {
  std::mutex mutex;
  std::vector<std::function<void()>> letters;
  std::function<void()> schedule;  // null: the controller has gone

  void Post(std::function<void()> letter) {
    const std::lock_guard lock(mutex);
    if (schedule == nullptr) return;
    letters.push_back(std::move(letter));
    schedule();
  }
  std::vector<std::function<void()>> Take() {
    const std::lock_guard lock(mutex);
    return std::exchange(letters, {});
  }
};

// The end of a definition: when no creation is under way any more its objects are deleted, and when
// none is left the finalizer goes.
class DefinitionController::Cleanup : public std::enable_shared_from_this<Cleanup> {
 public:
  Cleanup(const Context& context, std::shared_ptr<Mailbox> mailbox, const Known& known,
          bool established)
      : context_(context),
        mailbox_(std::move(mailbox)),
        name_(known.name),
        uid_(known.uid),
        served_(known.served),
        overlaps_(OverlapsBuiltIn(known.group, known.plural)),
        established_(established) {}

  // Its objects are reached in another way from now on.
  void Follow(std::shared_ptr<ServedDefinition> served) { served_ = std::move(served); }
  bool lost() const { return served_ == nullptr || served_->retired(); }

  // On the thread of Run(), again and again. `creating`: creations may still be under way.
  void Step(bool creating, Duration now) {
    if (creating || busy_ || now < next_) return;
    busy_ = true;
    next_ = now + kLookInterval;
    if (overlaps_) {
      return Finish({"Terminating", "False", "OverlappingBuiltInResource",
                     "instances overlap with built-in resources in storage"});
    }
    if (served_ == nullptr) return NeverEstablished();
    served_->Tick();
    served_->WhenReady(
        [self = shared_from_this()] { self->mailbox_->Post([self] { self->DeleteAll(); }); });
  }

 private:
  void Rest() { busy_ = false; }

  void NeverEstablished() {
    Finish({"Terminating", "False", "NeverEstablished", "resource was never established"});
  }

  void DeleteAll() {
    // It may have been lost since this was asked for.
    ResourceStorage* const storage = served_ == nullptr ? nullptr : served_->storage();
    if (storage == nullptr) return Rest();
    storage->cache().List({}, [self = shared_from_this()](Result<store::ListReply> reply) {
      auto shared = std::make_shared<Result<store::ListReply>>(std::move(reply));
      self->mailbox_->Post([self, shared] { self->DeleteListed(std::move(*shared)); });
    });
  }

  void DeleteListed(Result<store::ListReply> list) {
    if (!list) return Rest();
    waits_for_ = 1;
    size_t found = 0;
    store::ListCursor at = list->Entries();
    while (const store::CacheEntry* entry = at.Next()) {
      ++found;
      ++waits_for_;
      DeleteOne(*entry);
    }
    if (found == 0) {
      if (!established_) return NeverEstablished();
      return Finish({"Terminating", "False", "InstanceDeletionCompleted", "removed all instances"});
    }
    shrinks_ = found < std::exchange(left_, found);
    if (!std::exchange(told_, true)) {
      WriteCondition({"Terminating", "True", "InstanceDeletionInProgress",
                      "CustomResource deletion is in progress"});
    }
    OneLess();
  }

  void DeleteOne(const store::CacheEntry& entry) {
    Deletion deletion{.endpoint = served_->stored_route().endpoint,
                      .name_space = std::string(entry.name_space()),
                      .name = std::string(entry.name()),
                      .options = {}};
    deletion.options.unreadable = !entry.readable();
    // The endpoint must stay as long as the deletion takes.
    DeleteObject(std::move(deletion),
                 [self = shared_from_this(), served = served_](const Result<Changed>&) {
                   self->mailbox_->Post([self] { self->OneLess(); });
                 });
  }

  void OneLess() {
    if (--waits_for_ > 0) return;
    // Those without finalizers are gone, which mostly are all. What waits for others' finalizers is
    // not looked at without a pause.
    if (shrinks_) next_ = {};
    Rest();
    mailbox_->Post([] {});
  }

  void WriteCondition(DefinitionCondition condition) {
    Write([condition = std::move(condition)](object::Document& object, object::Timestamp now) {
      return SetDefinitionCondition(condition, now, object);
    });
  }

  void Finish(DefinitionCondition condition) {
    Write([condition = std::move(condition)](object::Document& object, object::Timestamp now) {
      SetDefinitionCondition(condition, now, object);
      MetaOf(object).RemoveFinalizer(kCleanupFinalizer);
      return true;
    });
  }

  void Write(std::function<bool(object::Document&, object::Timestamp)> change_object) {
    ObjectChange change;
    change.storage = context_.definitions;
    change.name = name_;
    change.decide = [uid = uid_, storage = context_.definitions, &rest = context_.rest,
                     change_object =
                         std::move(change_object)](const CurrentObject* current) -> Result<Change> {
      Change out;
      if (current == nullptr) return out;
      SKIFF_ASSIGN_OR_RETURN(object::Document object, current->Decode());
      if (MetaOf(object).uid() != uid) return out;
      const object::Document live = object.Copy();
      const object::Timestamp now = NowOf(rest.clock);
      if (!change_object(object, now)) return out;
      TrackOwnStatus(*storage, live, object, now);
      out.kind =
          MetaOf(object).finalizer_count() == 0 ? Change::Kind::kRemove : Change::Kind::kWrite;
      out.object = std::move(object);
      return out;
    };
    ChangeObject(std::move(change), [self = shared_from_this()](const Result<Changed>&) {
      self->mailbox_->Post([self] { self->Rest(); });
    });
  }

  const Context context_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::string name_;
  const std::string uid_;
  std::shared_ptr<ServedDefinition> served_;
  const bool overlaps_;
  const bool established_;
  bool busy_ = false;
  bool told_ = false;  // that there is something to delete
  size_t waits_for_ = 0;
  size_t left_ = SIZE_MAX;  // objects that there were when it was last looked
  bool shrinks_ = false;    // and that there were fewer than before
  Duration next_{0};
};

DefinitionController::DefinitionController(Context context, std::function<void()> schedule)
    : context_(context),
      schedule_(std::move(schedule)),
      mailbox_(std::make_shared<Mailbox>()),
      api_services_(context.api_services, context.rest, context.log),
      follower_(*this, {{&context.definitions->cache()}}, schedule_) {
  mailbox_->schedule = schedule_;
}

// What was left for a run that does not come any more keeps those who left it, and these the box.
DefinitionController::~DefinitionController() {
  std::vector<std::function<void()>> unread;
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->schedule = nullptr;
  unread.swap(mailbox_->letters);
}

void DefinitionController::Run() {
  follower_.Run();
  for (const auto& letter : mailbox_->Take()) letter();
  if (follower_.synced() && !synced()) {
    for (const std::string& name : std::exchange(deferred_, {})) LookAgain(name);
    looked_.store(true, std::memory_order_release);
    api_services_.RemoveStale();
  }
  Tick();
}

void DefinitionController::Tick() {
  follower_.Tick();
  if (synced()) api_services_.Tick();
  const Duration now = context_.rest.clock.Monotonic();
  for (const auto& [name, known] : known_) {
    if (known->look_again <= now) {
      known->look_again = Clock::kForever;
      mailbox_->Post([this, name = name] { LookAgain(name); });
    }
    if (known->cleanup == nullptr) continue;
    std::erase_if(known->creations, [](const auto& each) { return each.expired(); });
    known->cleanup->Step(!known->creations.empty(), now);
  }
}

bool DefinitionController::Put(size_t, const store::CacheEntry& entry) {
  if (!entry.readable()) return false;
  const Result<object::Document> definition = ReadDefinition(entry.value().view());
  if (!definition) return false;
  const v1::CustomResourceDefinition object(*definition);
  std::unique_ptr<Known>& known = known_[std::string(entry.name())];
  // Deleted and created anew, and only the end of it was seen.
  if (known != nullptr && known->uid != object.metadata().uid()) {
    Withdraw(*known);
    Release(*known);
  }
  if (known == nullptr || known->uid != object.metadata().uid()) {
    known = std::make_unique<Known>();
    known->name = entry.name();
    known->uid = object.metadata().uid();
    known->group = object.spec().group();
    known->plural = object.spec().names().plural();
  }
  known->stored = entry.value();
  if (synced() || HasItsNames(*known, *definition)) {
    Look(*known, *definition);
  } else {
    deferred_.push_back(known->name);
  }
  return true;
}

bool DefinitionController::HasItsNames(Known& known, const object::Document& definition) {
  const DefinitionNames accepted = AcceptedNames(definition);
  if (IsConditionTrue(definition, "NamesAccepted") && accepted == SpecNames(definition)) {
    return true;
  }
  TakenNames& taken = taken_[known.group];
  taken.Remove(known.granted);
  taken.Add(accepted);
  known.granted = accepted;
  return false;
}

void DefinitionController::Look(Known& known, const object::Document& definition) {
  TakenNames& taken = taken_[known.group];
  const DefinitionNames accepted = AcceptedNames(definition);
  // What others may have is decided by what this one had before.
  taken.Remove(known.granted);
  taken.Add(accepted);
  const DefinitionStatus status = StatusOf(definition, taken);
  taken.Remove(accepted);
  taken.Add(status.names);
  const bool freed = known.granted != status.names && known.granted != DefinitionNames{};
  known.granted = status.names;
  if (status.names_accepted || status.established) {
    Serve(known, definition, status);
  } else {
    Withdraw(known);
  }
  WriteStatus(known, status);
  known.contented = status.names_accepted;
  if (IsDeleting(definition)) {
    Terminate(known);
    CleanUp(known, definition);
  }
  if (freed) LookAtGroup(known.group, known.name);
}

void DefinitionController::Serve(Known& known, const object::Document& definition,
                                 const DefinitionStatus& status) {
  const int64_t generation = v1::CustomResourceDefinition(definition).metadata().generation();
  if (known.served != nullptr && known.generation == generation &&
      known.served_names == status.names) {
    known.served->definition().ShareBytes(known.stored);
    return;
  }
  object::Document granted = definition.Copy();
  SetDefinitionStatus(status, NowOf(context_.rest.clock), granted);
  auto made = CustomDefinition::Make(granted, known.stored, context_.resources.shared_patterns());
  if (!made) {
    context_.log.Error("A definition of custom resources cannot be served",
                       {{"name", known.name}, {"err", made.error().ToString()}});
    return Withdraw(known);
  }
  known.generation = generation;
  known.served_names = status.names;
  const auto old = std::exchange(
      known.served, context_.resources.Publish(std::move(*made), IsDeleting(definition)));
  Register(known.served.get(), old.get());
  if (old != nullptr) known.creations.push_back(old->EndCreations());
  if (known.cleanup != nullptr) known.cleanup->Follow(known.served);
}

void DefinitionController::Register(const ServedDefinition* now, const ServedDefinition* before) {
  const auto each_version = [](const ServedDefinition* served, auto call) {
    if (served == nullptr) return;
    for (const auto& version : served->definition().versions()) {
      if (version->served()) call(served->definition().group(), version->name());
    }
  };
  each_version(now, [&](auto group, auto version) { api_services_.Add(group, version); });
  each_version(before, [&](auto group, auto version) { api_services_.Remove(group, version); });
}

// Also when its objects are gone and something else holds it: nothing new may be made until the
// end.
void DefinitionController::Terminate(Known& known) {
  if (known.served == nullptr) return;
  if (!known.served->terminating()) context_.resources.Terminate(*known.served);
  const std::weak_ptr<const void> begun = known.served->EndCreations();
  if (!begun.expired()) known.creations.push_back(begun);
}

void DefinitionController::Withdraw(Known& known) {
  if (known.served == nullptr) return;
  Register(nullptr, known.served.get());
  context_.resources.Withdraw(known.served->definition().group(),
                              known.served->definition().plural());
  known.creations.push_back(std::exchange(known.served, nullptr)->EndCreations());
}

void DefinitionController::CleanUp(Known& known, const object::Document& definition) {
  bool waits = false;
  for (const std::string_view each :
       v1::CustomResourceDefinition(definition).metadata().finalizers()) {
    waits |= each == kCleanupFinalizer;
  }
  if (!waits) {
    known.cleanup = nullptr;
    return;
  }
  if (known.cleanup == nullptr) {
    known.cleanup = std::make_shared<Cleanup>(context_, mailbox_, known,
                                              IsConditionTrue(definition, "Established"));
  }
  if (known.cleanup->lost()) known.cleanup->Follow(Unpublished(known, definition));
}

// It may have been served, and have objects, without having been told so: the write of its status
// may have failed, or the process may have ended before.
std::shared_ptr<ServedDefinition> DefinitionController::Unpublished(
    const Known& known, const object::Document& definition) {
  object::Document granted = definition.Copy();
  const DefinitionStatus status{.names = SpecNames(definition), .conditions = {}};
  SetDefinitionStatus(status, NowOf(context_.rest.clock), granted);
  auto made = CustomDefinition::Make(granted, known.stored, context_.resources.shared_patterns());
  return made ? context_.resources.MakeUnpublished(std::move(*made)) : nullptr;
}

void DefinitionController::WriteStatus(const Known& known, const DefinitionStatus& status) {
  ObjectChange change;
  change.storage = context_.definitions;
  change.name = known.name;
  change.decide = [uid = known.uid, status, stored = known.stored, storage = context_.definitions,
                   &rest = context_.rest](const CurrentObject* current) -> Result<Change> {
    Change out;
    // What has changed meanwhile comes back as an event, and is decided anew.
    if (current == nullptr || current->bytes != stored) return out;
    SKIFF_ASSIGN_OR_RETURN(object::Document object, current->Decode());
    const object::Document live = object.Copy();
    const object::Timestamp now = NowOf(rest.clock);
    if (!SetDefinitionStatus(status, now, object)) return out;
    TrackOwnStatus(*storage, live, object, now);
    out.kind = Change::Kind::kWrite;
    out.object = std::move(object);
    return out;
  };
  ChangeObject(std::move(change), [this, mailbox = mailbox_, &log = context_.log,
                                   name = known.name](const Result<Changed>& done) {
    if (done || done.error().reason() == StatusReason::kConflict) return;
    log.Warning("The status of a definition of custom resources could not be written",
                {{"name", name}, {"err", done.error().ToString()}});
    mailbox->Post([this, name] { TryAgainLater(name); });
  });
}

void DefinitionController::TryAgainLater(std::string_view name) {
  const auto found = known_.find(name);
  if (found == known_.end()) return;
  found->second->look_again = context_.rest.clock.Monotonic() + kStatusInterval;
}

void DefinitionController::Remove(size_t, std::string_view, std::string_view name) {
  const auto found = known_.find(name);
  if (found == known_.end()) return;
  Withdraw(*found->second);
  Release(*found->second);
  const std::string group = found->second->group;
  known_.erase(found);
  LookAtGroup(group, name);
}

void DefinitionController::Release(const Known& known) {
  const auto taken = taken_.find(known.group);
  if (taken == taken_.end()) return;
  taken->second.Remove(known.granted);
  if (taken->second.empty()) taken_.erase(taken);
}

void DefinitionController::LookAtGroup(const std::string& group, std::string_view but) {
  for (const auto& [name, known] : known_) {
    if (known->group != group || name == but || known->contented) continue;
    mailbox_->Post([this, name = name] { LookAgain(name); });
  }
}

void DefinitionController::LookAgain(std::string_view name) {
  const auto found = known_.find(name);
  if (found == known_.end()) return;
  const Result<object::Document> definition = ReadDefinition(found->second->stored.view());
  if (definition) Look(*found->second, *definition);
}

}  // namespace skiff::apiserver
