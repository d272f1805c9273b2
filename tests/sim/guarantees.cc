#include "tests/sim/guarantees.h"

#include <algorithm>
#include <charconv>

#include "tests/sim/definitions.h"

namespace skiff::sim {
namespace {

int64_t Number(std::string_view text) {
  int64_t out = -1;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

int64_t RevisionOf(const object::Document& object) {
  return Number(client::ResourceVersionOf(object));
}

bool InScope(const Recorded& object) {
  return object.kind == "ConfigMap" || object.kind == "Secret" || object.kind == "Pod" ||
         object.kind == "Namespace" || object.kind == "ServiceAccount" ||
         object.kind == "ClusterRole" || object.kind == "ResourceQuota" ||
         object.kind == "CustomResourceDefinition" || object.kind.starts_with("Thing");
}

std::string Describe(const Recorded& object) {
  return object.key + " (uid " + object.uid + ", revision " + std::to_string(object.revision) + ")";
}

}  // namespace

RecordedPtr ResolveOwner(const Ledger& ledger, const Recorded& dependent, const OwnerLink& owner) {
  const RecordedPtr found = ledger.FindUid(owner.uid);
  if (found == nullptr || found->kind != owner.kind || found->name != owner.name) return nullptr;
  if (!found->name_space.empty() && found->name_space != dependent.name_space) return nullptr;
  return found;
}

bool NeverSatisfied(const Recorded& dependent, const OwnerLink& owner) {
  return dependent.name_space.empty() && owner.kind != "ClusterRole" && owner.kind != "Namespace";
}

bool Keeps(const RecordedPtr& owner) {
  return owner != nullptr && !(owner->deleting && owner->HasFinalizer("foregroundDeletion"));
}

Guarantees::Guarantees(Cluster& cluster) : cluster_(cluster) {
  cluster_.ledger().AddListener([this](const Entry& entry) { OnEntry(entry); });
}

bool Guarantees::IsUnknown(const Status& status) {
  return status.reason() == StatusReason::kServerTimeout ||
         status.reason() == StatusReason::kTimeout ||
         status.reason() == StatusReason::kInternalError;
}

void Guarantees::OnEntry(const Entry& entry) {
  cluster_.counters().Count("revisions");
  if (entry.after != nullptr && refused_markers_.contains(entry.after->marker) &&
      (entry.before == nullptr || entry.before->marker != entry.after->marker)) {
    cluster_.Fail("a write that was refused happened: " + Describe(*entry.after));
  }
  if (entry.before == nullptr || !InScope(*entry.before)) return;
  const bool replaced = entry.after != nullptr && entry.after->uid != entry.before->uid;
  const bool began = entry.after != nullptr && entry.after->deleting && !entry.before->deleting;
  if (entry.after == nullptr || replaced) cluster_.counters().Count("objects gone");
  if ((entry.after == nullptr || replaced || began) && !entry.before->deleting) {
    CheckDeletion(*entry.before);
  }
}

bool Guarantees::WasAskedFor(const Recorded& object) const {
  if (may_be_deleted_.contains(object.key)) return true;
  return std::ranges::any_of(
      may_be_emptied_, [&](const std::string& prefix) { return object.key.starts_with(prefix); });
}

// Whether an owner that is to orphan its dependents now has waited for them to go before: the
// collector may have looked at it then.
bool Guarantees::HasWaited(const Recorded& owner) const {
  return owner.deleting &&
         std::ranges::any_of(cluster_.ledger().History(owner.key), [&](const Entry& entry) {
           return entry.after != nullptr && entry.after->uid == owner.uid && !Keeps(entry.after);
         });
}

void Guarantees::CheckDeletion(const Recorded& before) {
  if (WasAskedFor(before)) return;
  if (!before.name_space.empty()) {
    const RecordedPtr home = cluster_.ledger().Find("/registry/namespaces/" + before.name_space);
    if (home == nullptr || home->deleting) return;
  }
  if (const RecordedPtr definition = DefinitionOf(cluster_.ledger(), before);
      definition != nullptr && definition->deleting) {
    return;
  }
  if (before.owners.empty()) {
    return cluster_.Fail("something was deleted that nobody asked for: " + Describe(before));
  }
  for (const OwnerLink& owner : before.owners) {
    if (NeverSatisfied(before, owner)) {
      return cluster_.Fail("something was deleted whose owner nobody can look for: " +
                           Describe(before));
    }
    const RecordedPtr found = ResolveOwner(cluster_.ledger(), before, owner);
    if (!Keeps(found) || HasWaited(*found)) continue;
    return cluster_.Fail("something with a live owner was deleted: " + Describe(before) +
                         ", owner " + Describe(*found));
  }
  cluster_.counters().Count("collected");
}

// Whether the write took the last finalizer of something that was being deleted, which ends it.
bool Guarantees::EndedADeletion(const std::string& key, int64_t revision) const {
  return std::ranges::any_of(cluster_.ledger().History(key), [&](const Entry& entry) {
    return entry.revision == revision && entry.after == nullptr && entry.before != nullptr &&
           entry.before->deleting;
  });
}

void Guarantees::OnWritten(const std::string& key, const std::string& marker,
                           const Result<client::ObjectPtr>& answer) {
  cluster_.ledger().CatchUp();
  if (Cluster::verbose) {
    cluster_.Tell(marker + " " + key + (answer ? " written" : ": " + answer.error().ToString()));
  }
  if (!answer) {
    if (answer.error().message().find("cannot hold the object") != std::string::npos) {
      cluster_.Fail("a write was to lie under the key of another: " + answer.error().message());
    }
    if (IsUnknown(answer.error())) return cluster_.counters().Count("writes of unknown fate");
    cluster_.counters().Count("writes refused");
    refused_markers_.insert(marker);
    for (const Entry& entry : cluster_.ledger().History(key)) {
      if (entry.after != nullptr && entry.after->marker == marker) {
        cluster_.Fail("a write was refused (" + answer.error().ToString() +
                      ") but had happened: " + Describe(*entry.after));
      }
    }
    return;
  }
  cluster_.counters().Count("writes acknowledged");
  const int64_t revision = *answer == nullptr ? -1 : RevisionOf(**answer);
  const RecordedPtr stored = cluster_.ledger().At(key, revision);
  if (EndedADeletion(key, revision)) return;
  if (stored == nullptr || stored->revision != revision || stored->marker != marker) {
    cluster_.Fail("an acknowledged write is not there: " + key + " at revision " +
                  std::to_string(revision) + ", written \"" + marker + "\", found " +
                  (stored == nullptr ? "nothing" : "\"" + stored->marker + "\""));
  }
}

void Guarantees::OnDeleted(const std::string& key, const std::string& uid,
                           const Result<void>& answer) {
  cluster_.ledger().CatchUp();
  if (!answer) {
    if (IsUnknown(answer.error())) cluster_.counters().Count("writes of unknown fate");
    return;
  }
  cluster_.counters().Count("deletions acknowledged");
  const RecordedPtr left = cluster_.ledger().Find(key);
  if (!uid.empty() && left != nullptr && left->uid == uid && !left->deleting) {
    cluster_.Fail("an acknowledged deletion did not happen: " + Describe(*left));
  }
}

void Guarantees::OnRead(const std::string& key, int64_t since,
                        const Result<client::ObjectPtr>& answer) {
  cluster_.ledger().CatchUp();
  Ledger& ledger = cluster_.ledger();
  const RecordedPtr at_first = ledger.At(key, since);
  if (answer) {
    cluster_.counters().Count("reads");
    const int64_t revision = RevisionOf(**answer);
    const RecordedPtr stored = ledger.At(key, revision);
    if (stored == nullptr || stored->revision != revision) {
      return cluster_.Fail("a read showed what never was: " + key + " at revision " +
                           std::to_string(revision));
    }
    if (at_first != nullptr && revision < at_first->revision) {
      cluster_.Fail("a read showed what had passed: " + key + " at revision " +
                    std::to_string(revision) + ", asked after " + Describe(*at_first));
    }
    return;
  }
  if (answer.error().reason() != StatusReason::kNotFound || at_first == nullptr) return;
  const std::vector<Entry>& history = ledger.History(key);
  const bool was_absent = std::ranges::any_of(history, [&](const Entry& entry) {
    return entry.revision > since && entry.after == nullptr;
  });
  if (!was_absent) cluster_.Fail("a read did not find what is there: " + Describe(*at_first));
}

void Guarantees::OnListed(const client::ApiResource& resource, const std::string& name_space,
                          int64_t since, const Result<client::ClientReply>& answer) {
  cluster_.ledger().CatchUp();
  if (!answer) return;
  cluster_.counters().Count("lists");
  const int64_t revision = Number(answer->resource_version);
  const std::string where = resource.name + " of " + name_space;
  if (revision < since) {
    return cluster_.Fail("a list showed what had passed: " + where + " at " +
                         std::to_string(revision) + ", asked after " + std::to_string(since));
  }
  std::set<std::string> shown;
  for (const client::ObjectPtr& item : answer->items) {
    const std::string key = StoredKey(resource, client::NameOf(*item));
    shown.insert(key);
    const RecordedPtr stored = cluster_.ledger().At(key, revision);
    if (stored == nullptr || stored->revision != RevisionOf(*item)) {
      cluster_.Fail("a list at " + std::to_string(revision) + " showed " + key + " at revision " +
                    std::string(client::ResourceVersionOf(*item)));
    }
  }
  const std::string prefix = StoredKey(resource, {name_space, ""});
  for (auto at = cluster_.ledger().objects().lower_bound(prefix);
       at != cluster_.ledger().objects().end() && at->first.starts_with(prefix); ++at) {
    const RecordedPtr stored = cluster_.ledger().At(at->first, revision);
    if (stored != nullptr && !shown.contains(at->first)) {
      cluster_.Fail("a list at " + std::to_string(revision) + " left out " + Describe(*stored));
    }
  }
}

}  // namespace skiff::sim
