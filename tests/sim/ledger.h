// The truth: every revision of the store, as a watch of it tells, kept in the order in which they
// came. What clients were promised and what loops did is held against it.
//
// A crash must not lose a revision that the ledger has seen, since nothing is told before it is on
// disk; the ledger notices when numbers go back. Events come on threads of the store and are looked
// at by the first thread, in CatchUp().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/object.h"
#include "store/store.h"

namespace skiff::sim {

struct OwnerLink {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool blocks = false;
};

// One object as it was at a revision.
struct Recorded {
  int64_t revision = 0;
  std::string key;       // /registry/configmaps/ns/name
  std::string resource;  // "configmaps", "apps/replicasets"
  std::string name_space;
  std::string name;
  std::string kind;
  std::string api_version;
  std::string uid;
  std::string marker;  // what the workload wrote: annotation "sim"
  std::vector<OwnerLink> owners;
  std::vector<std::string> finalizers;
  bool deleting = false;
  std::shared_ptr<const object::Document> object;

  bool HasFinalizer(std::string_view finalizer) const;
};
using RecordedPtr = std::shared_ptr<const Recorded>;

// One revision of one key.
struct Entry {
  int64_t revision = 0;
  Duration time{0};    // when the ledger heard of it
  RecordedPtr before;  // null: there was none
  RecordedPtr after;   // null: it was deleted
};

class Ledger final : public store::WatchSink {
 public:
  using Listener = std::function<void(const Entry& entry)>;
  using Fault = std::function<void(std::string what)>;

  // `fault` is told what cannot be; both may be called in CatchUp() only.
  Ledger(std::function<Duration()> now, Fault fault)
      : now_(std::move(now)), fault_(std::move(fault)) {}
  // The state of another one, to go on from.
  void Adopt(const Ledger& other);

  void Follow(store::Store& store);
  // Nothing is heard any more.
  void Freeze() { frozen_ = true; }
  void Unfollow();

  void AddListener(Listener listener) { listeners_.push_back(std::move(listener)); }
  void CatchUp();

  int64_t revision() const { return revision_; }
  const std::map<std::string, RecordedPtr>& objects() const { return objects_; }
  RecordedPtr Find(const std::string& key) const;
  RecordedPtr FindUid(const std::string& uid) const;
  // All that happened to the key, oldest first.
  const std::vector<Entry>& History(const std::string& key) const;
  // What lies under the key at that revision; null: nothing.
  RecordedPtr At(const std::string& key, int64_t revision) const;
  // The last change of anything that is not a lease or an event.
  Duration last_change() const { return last_change_; }

  void OnEvents(std::span<const store::Event> events) override;
  void OnProgress(store::Revision) override {}
  void OnEnd(Status) override {}

 private:
  void Take(const store::Event& event);

  const std::function<Duration()> now_;
  const Fault fault_;
  std::vector<Listener> listeners_;
  std::unique_ptr<store::Watch> watch_;
  bool frozen_ = true;
  std::vector<store::Event> heard_;
  int64_t heard_revision_ = 1;
  int64_t revision_ = 1;
  std::map<std::string, RecordedPtr> objects_;
  std::map<std::string, RecordedPtr> by_uid_;
  std::map<std::string, std::vector<Entry>> history_;
  Duration last_change_{0};
};

// The key that an object of a resource is stored under.
std::string StoredKey(const client::ApiResource& resource, const client::ObjectName& name);

}  // namespace skiff::sim
