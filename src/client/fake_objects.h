// The objects of an API server in memory, for tests: what control loops depend on of its behaviour.
//
// Objects have uids, resourceVersions that rise with every write of any object, generations and
// times; writes are refused as Kubernetes refuses them; deletions are graceful and wait for
// finalizers, those of propagation among them; the schema's tables say which part of an object an
// update or a subresource may write. A namespace that is being deleted takes nothing new. There is
// no validation, no defaulting and no ownership of fields: an apply merges. Objects of one resource
// that are read in another version keep the fields that both versions have.
//
// Every change stays in a history, from which watches are fed. Several FakeApi may speak to one
// FakeObjects, each as one client. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "client/client.h"

namespace skiff::client {

class FakeObjects {
 public:
  struct Change {
    int64_t revision;
    std::string resource;  // as KeyOf()
    ObjectPtr before;      // null: it is new
    ObjectPtr object;      // what it is now, or its last state
    bool deleted;
  };
  static constexpr size_t kMaxChanges = 100'000;

  // The clock must outlive it.
  explicit FakeObjects(Clock& clock, uint64_t seed = 1) : clock_(clock), random_(seed) {}

  // What a client asks for, carried out at once.
  Result<ClientReply> Do(const ClientCall& call);

  // --- the test's own hand

  // Creates the object or puts it in the place of what is there, status and all; the JSON must be
  // an object's.
  ObjectPtr Put(const ApiResource& resource, std::string_view json);
  // Null: there is none.
  ObjectPtr Find(const ApiResource& resource, const ObjectName& name) const;
  std::vector<ObjectPtr> All(const ApiResource& resource, std::string_view name_space = {}) const;
  // Whatever it is kept by.
  void Remove(const ApiResource& resource, const ObjectName& name);

  // Objects are created only in namespaces that are there.
  void RequireNamespaces() { namespaces_required_ = true; }
  // What happened up to now can no longer be watched, nor lists be continued.
  void ExpireHistory();

  // --- what is served: all of the schema, and custom resources

  void AddCustom(ApiResource resource);
  // Its objects go with it.
  void RemoveCustom(const ApiResource& resource);
  // Groups and versions ("metrics.k8s.io/v1beta1") that are known but do not answer.
  void SetUnavailable(std::vector<std::string> group_versions);
  ServedApi Discover() const;
  Result<void> CheckServed(const ApiResource& resource) const;

  // --- for FakeApi

  static std::string KeyOf(const ApiResource& resource);
  int64_t revision() const { return revision_; }
  // Changes after a revision; null when they are not known any more. A number past the newest has
  // none, whatever it is.
  std::optional<std::vector<Change>> ChangesAfter(int64_t revision,
                                                  const std::string& resource) const;
  // Whether labels and fields of an object match; the selectors are those of a list or a watch.
  static Result<std::function<bool(const object::Document&)>> Matcher(
      std::string_view name_space, std::string_view label_selector,
      std::string_view field_selector);
  static ObjectPtr InForm(const ApiResource& resource, bool metadata_only, const ObjectPtr& object);
  // Called after each change.
  uint64_t Listen(std::function<void()> on_change);
  void StopListening(uint64_t listener) { listeners_.erase(listener); }

 private:
  using Objects = std::map<ObjectName, ObjectPtr>;

  Result<ClientReply> Get(const ClientCall& call);
  Result<ClientReply> List(const ClientCall& call);
  Result<ClientReply> ListMore(const ClientCall& call);
  Result<ClientReply> Create(const ClientCall& call);
  Result<ClientReply> CreateWithin(const ClientCall& call);
  Result<ClientReply> Update(const ClientCall& call);
  Result<ClientReply> Patch(const ClientCall& call);
  Result<ClientReply> Delete(const ClientCall& call);
  Result<ClientReply> DeleteCollection(const ClientCall& call);
  Result<ClientReply> UpdateTo(const ClientCall& call, std::shared_ptr<object::Document> object);
  Result<void> CheckUpdate(const ClientCall& call, const object::Document& old,
                           const object::Document& object) const;
  Result<void> CheckNamespace(const ApiResource& resource, const std::string& name_space,
                              const std::string& name) const;
  Result<ObjectPtr> Current(const ApiResource& resource, const ObjectName& name) const;
  ClientReply PageOf(std::vector<ObjectPtr> items, int64_t revision, int64_t limit);
  ObjectPtr Write(const ApiResource& resource, std::shared_ptr<object::Document> object);
  ObjectPtr Erase(const ApiResource& resource, const object::Document& object);
  void Record(Change change);
  object::Timestamp Now() const;

  struct Page {
    int64_t revision;
    std::vector<ObjectPtr> rest;
  };

  Clock& clock_;
  SeededRandom random_;
  std::map<std::string, Objects> objects_;
  int64_t revision_ = 1;
  std::deque<Change> changes_;
  int64_t expired_ = 0;  // changes up to this revision are not known any more
  std::map<std::string, Page> pages_;
  std::map<std::string, ApiResource> custom_;
  std::vector<std::string> unavailable_;
  std::map<uint64_t, std::function<void()>> listeners_;
  uint64_t last_id_ = 0;
  bool namespaces_required_ = false;
};

}  // namespace skiff::client
