// Definitions of custom resources that come, change, want the same names and go, each time with
// objects, some of which are made while the definition itself is still being written or has begun
// to go. A definition that is made again may be of another scope.
//
// What must hold (DefinitionRules, at every revision): nothing is made that no definition is there
// for, and when a definition goes, nothing of it is left. Once it is quiet: definitions have the
// names that nobody else has, watches have ended with what they watched, and what is served, and
// told of by discovery and API services, is what is defined.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/actor.h"

namespace skiff::sim {

class DefinitionsActor final : public Actor {
 public:
  DefinitionsActor(Cluster& cluster, Guarantees& guarantees, int number);
  ~DefinitionsActor() override;

  // Bugs for tests of the tests: takes finalizers of definitions away while there are objects; does
  // not hear that watches end.
  void SetReckless() { reckless_ = true; }
  void SetDeaf() { deaf_ = true; }

  // What is not yet as it must be. Empty: nothing.
  std::string Unsettled() const override;

 protected:
  Task<void> Step() override;
  Task<void> CleanUp() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(250); }

 private:
  class OpenWatch;
  // What the client believes of a definition.
  struct Defined {
    bool namespaced = true;
    std::deque<client::ObjectName> held;  // by a finalizer, until somebody takes it away
  };

  const client::ApiResource& Resource(size_t index, bool namespaced) const;
  client::ObjectName DefinitionName(size_t index) const;
  std::string Spec(size_t index);
  std::string Versions();
  client::ObjectName DrawObject(size_t index);
  Task<void> Define(size_t index);
  Task<void> Undefine(size_t index);
  Task<void> MakeObject(size_t index);
  Task<void> ChangeObject(size_t index);
  Task<void> Look(size_t index);
  Task<void> Release(size_t index);
  Task<void> BeReckless(size_t index);
  // Against the ledger, when all is quiet.
  Task<void> CompareServed();
  Task<void> CompareDiscovery();

  const std::string group_;
  std::vector<client::ApiResource> resources_;  // two of each name: of namespaces, and not
  std::vector<Defined> defined_;
  std::vector<std::unique_ptr<OpenWatch>> watches_;
  bool reckless_ = false;
  bool deaf_ = false;
};

// Looks at every revision; lives as long as the ledger is followed.
class DefinitionRules {
 public:
  explicit DefinitionRules(Cluster& cluster);

 private:
  void OnEntry(const Entry& entry);
  // For people.
  void Show(const Entry& entry);

  Cluster& cluster_;
};

// The definition that an object is of, or null: it is built in, or nobody defines it.
RecordedPtr DefinitionOf(const Ledger& ledger, const Recorded& object);
// Definitions that do not have the names that they could have. Empty: all is well.
std::string DefinitionsOutOfOrder(const Ledger& ledger);

}  // namespace skiff::sim
