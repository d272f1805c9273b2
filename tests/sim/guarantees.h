// What the server guarantees to clients, held against the ledger at once:
//
// - a write that is acknowledged is there, at the revision that was told, as it was written;
// - a write that is refused changes nothing, ever;
// - a read shows what was there at some moment between question and answer, and a list all of it at
//   the one revision that it tells;
// - what is deleted was asked to be, by somebody who may: a client, the end of a namespace, or a
//   collector when no owner is left (fed by the listener of the ledger).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "client/client.h"
#include "tests/sim/cluster.h"

namespace skiff::sim {

class Guarantees {
 public:
  explicit Guarantees(Cluster& cluster);

  // After which it is not known whether a write has happened.
  static bool IsUnknown(const Status& status);

  void OnWritten(const std::string& key, const std::string& marker,
                 const Result<client::ObjectPtr>& answer);
  void OnDeleted(const std::string& key, const std::string& uid, const Result<void>& answer);
  // `since` is the ledger's revision when the question was asked.
  void OnRead(const std::string& key, int64_t since, const Result<client::ObjectPtr>& answer);
  void OnListed(const client::ApiResource& resource, const std::string& name_space, int64_t since,
                const Result<client::ClientReply>& answer);
  // Before a client asks for it.
  void AllowDeletion(const std::string& key) { may_be_deleted_.insert(key); }
  void AllowDeletionsUnder(const std::string& prefix) { may_be_emptied_.insert(prefix); }

 private:
  void OnEntry(const Entry& entry);
  void CheckDeletion(const Recorded& before);
  bool HasWaited(const Recorded& owner) const;
  bool EndedADeletion(const std::string& key, int64_t revision) const;
  bool WasAskedFor(const Recorded& object) const;

  Cluster& cluster_;
  std::set<std::string> may_be_deleted_;
  std::set<std::string> may_be_emptied_;
  std::set<std::string> refused_markers_;
  std::map<std::string, int64_t> counters_;
};

// The owner that a reference leads to, as the collector has to see it; null: there is none.
RecordedPtr ResolveOwner(const Ledger& ledger, const Recorded& dependent, const OwnerLink& owner);
// Whether the reference is of something in no namespace to a kind of namespaces: nobody can tell
// where to look for the owner, so that the dependent is kept for ever.
bool NeverSatisfied(const Recorded& dependent, const OwnerLink& owner);
// Whether an owner keeps its dependents: it is there and does not wait for them to go.
bool Keeps(const RecordedPtr& owner);

}  // namespace skiff::sim
