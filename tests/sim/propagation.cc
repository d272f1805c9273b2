#include "tests/sim/propagation.h"

#include <algorithm>
#include <charconv>

#include "controllers/objects.h"

namespace skiff::sim {
namespace {

// Whether the object has a valid reference to the owner, one that blocks it if that is asked.
bool RefersTo(const Recorded& object, const Recorded& owner, bool blocking) {
  if (!owner.name_space.empty() && owner.name_space != object.name_space) return false;
  return std::ranges::any_of(object.owners, [&](const OwnerLink& link) {
    return link.uid == owner.uid && link.kind == owner.kind && link.name == owner.name &&
           (link.blocks || !blocking);
  });
}

bool LetGo(const Entry& entry, std::string_view finalizer, std::string_view other) {
  const Recorded* before = entry.before.get();
  if (before == nullptr || !before->deleting || !before->HasFinalizer(finalizer)) return false;
  if (entry.after == nullptr || entry.after->uid != before->uid) return true;
  // Another propagation may have taken the place of this one.
  return !entry.after->HasFinalizer(finalizer) && !entry.after->HasFinalizer(other);
}

bool Began(const Entry& entry, std::string_view finalizer) {
  if (entry.after == nullptr || !entry.after->deleting || !entry.after->HasFinalizer(finalizer)) {
    return false;
  }
  return entry.before == nullptr || !entry.before->deleting ||
         !entry.before->HasFinalizer(finalizer);
}

}  // namespace

Propagation::Propagation(Cluster& cluster, const Managers& managers)
    : cluster_(cluster), managers_(managers) {
  cluster_.network().AddObserver(this);
  cluster_.ledger().AddListener([this](const Entry& entry) { OnEntry(entry); });
}

Propagation::~Propagation() { cluster_.network().RemoveObserver(this); }

void Propagation::OnSend(const std::string& process, const client::ClientCall& call) {
  const bool loops = !managers_.LifeOf(process).empty();
  if (call.verb == client::ClientVerb::kDelete && !loops &&
      call.deletion.propagation == "Background") {
    waived_.insert(StoredKey(*call.resource, call.target));
  }
  if (call.verb != client::ClientVerb::kPatch ||
      call.patch.find("\"finalizers\"") == std::string::npos) {
    return;
  }
  if (loops) {
    senders_[StoredKey(*call.resource, call.target)].insert(managers_.LifeOf(process));
  }
}

void Propagation::OnTold(const std::string& process, const object::Document& object) {
  const std::string life = managers_.LifeOf(process);
  if (life.empty()) return;
  const std::string_view version = client::ResourceVersionOf(object);
  Told told{
      .order = ++order_,
      .revision = 0,
      .orphaning = client::IsDeleting(object) && controllers::HasFinalizer(object, kOrphaning),
      .foreground = client::IsDeleting(object) && controllers::HasFinalizer(object, kForeground)};
  std::from_chars(version.data(), version.data() + version.size(), told.revision);
  lives_[life][std::string(client::UidOf(object))].push_back(told);
}

void Propagation::OnAcknowledged(const std::string& key, const std::string& uid,
                                 std::string_view finalizer) {
  cluster_.ledger().CatchUp();
  const std::vector<Entry>& history = cluster_.ledger().History(key);
  const bool heeded = std::ranges::any_of(history, [&](const Entry& entry) {
    return entry.after != nullptr && entry.after->uid == uid && entry.after->deleting &&
           entry.after->HasFinalizer(finalizer);
  });
  if (!heeded) {
    cluster_.Fail("a deletion was acknowledged but not its propagation: " + key + " never had " +
                  std::string(finalizer));
  }
}

void Propagation::OnEntry(const Entry& entry) {
  for (const std::string_view finalizer : {kOrphaning, kForeground}) {
    const bool blocking = finalizer == kForeground;
    if (Began(entry, finalizer)) {
      const auto count = std::ranges::count_if(cluster_.ledger().objects(), [&](const auto& each) {
        return RefersTo(*each.second, *entry.after, blocking);
      });
      cluster_.counters().Count(
          blocking ? "blocking dependents of owners deleted" : "dependents of owners orphaning",
          static_cast<uint64_t>(count));
    }
    if (LetGo(entry, finalizer, blocking ? kOrphaning : kForeground)) {
      CheckDependents(*entry.before, finalizer);
    }
  }
}

void Propagation::CheckDependents(const Recorded& owner, std::string_view finalizer) {
  const bool blocking = finalizer == kForeground;
  if (waived_.contains(owner.key)) return;
  for (const auto& [key, object] : cluster_.ledger().objects()) {
    if (!RefersTo(*object, owner, blocking) || !Known(*object, owner, finalizer)) continue;
    cluster_.Fail((blocking ? "an owner went before what blocks it: "
                            : "an owner went but a dependent still refers to it: ") +
                  owner.key + " (uid " + owner.uid + "), dependent " + key);
  }
}

bool Propagation::ReferredSince(const Recorded& dependent, int64_t revision, const Recorded& owner,
                                bool blocking) const {
  const RecordedPtr then = cluster_.ledger().At(dependent.key, revision);
  if (then == nullptr || then->uid != dependent.uid || !RefersTo(*then, owner, blocking)) {
    return false;
  }
  return std::ranges::all_of(cluster_.ledger().History(dependent.key), [&](const Entry& entry) {
    return entry.revision <= revision ||
           (entry.after != nullptr && entry.after->uid == dependent.uid &&
            RefersTo(*entry.after, owner, blocking));
  });
}

bool Propagation::Known(const Recorded& dependent, const Recorded& owner,
                        std::string_view finalizer) const {
  const bool blocking = finalizer == kForeground;
  const auto senders = senders_.find(owner.key);
  if (senders == senders_.end()) {
    // No collector let it go, so that what any of them knows is no excuse.
    const std::vector<Entry>& history = cluster_.ledger().History(owner.key);
    const auto began =
        std::ranges::find_if(history, [&](const Entry& entry) { return Began(entry, finalizer); });
    return began != history.end() && ReferredSince(dependent, began->revision, owner, blocking);
  }
  return std::ranges::all_of(senders->second, [&](const std::string& name) {
    const auto life = lives_.find(name);
    if (life == lives_.end()) return false;
    const auto of_owner = life->second.find(owner.uid);
    const auto of_dependent = life->second.find(dependent.uid);
    if (of_owner == life->second.end() || of_dependent == life->second.end()) return false;
    const auto began = std::ranges::find_if(of_owner->second, [&](const Told& told) {
      return blocking ? told.foreground : told.orphaning;
    });
    if (began == of_owner->second.end()) return false;
    int64_t revision = 0;
    for (const Told& told : of_dependent->second) {
      if (told.order < began->order) revision = told.revision;
    }
    return revision != 0 && ReferredSince(dependent, revision, owner, blocking);
  });
}

}  // namespace skiff::sim
