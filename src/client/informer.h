// Informers: the state of a resource, kept by a list and a watch, shared by all loops of a process.
//
// An informer lists, watches from there, and starts over when the server says that it is too far
// behind; it never misses a state that lasts and never shows an older one after a newer one. While
// it cannot reach the server it keeps what it has. All of it belongs to the client's executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "client/client.h"
#include "client/object.h"

namespace skiff::client {

class InformerHandler {
 public:
  virtual ~InformerHandler() = default;
  virtual void OnAdd(const ObjectPtr& object) = 0;
  // Also for an object that was replaced by another of its name while the watch was down.
  virtual void OnUpdate(const ObjectPtr& old, const ObjectPtr& object) = 0;
  // The last state that was seen, which may not be the very last.
  virtual void OnDelete(const ObjectPtr& last) = 0;
};

// The keys under which an index finds an object.
using IndexFunction = std::function<std::vector<std::string>(const object::Document& object)>;

class Informer {
 public:
  virtual ~Informer() = default;

  virtual const ApiResource& resource() const = 0;
  // Told of what is there already, within this call, and from then on of every change. Must outlive
  // the informer, or be removed.
  virtual void AddHandler(InformerHandler* handler) = 0;
  virtual void RemoveHandler(InformerHandler* handler) = 0;
  // Of two of one name the first stays: loops that share a name mean the same.
  virtual void AddIndex(std::string name, IndexFunction keys) = 0;

  // Whether the whole state has been seen once.
  virtual bool synced() const = 0;
  virtual ObjectPtr Find(const ObjectName& name) const = 0;  // null: there is none
  // All, or those of one namespace, by name.
  virtual std::vector<ObjectPtr> List(std::string_view name_space = {}) const = 0;
  virtual std::vector<ObjectPtr> ByIndex(std::string_view index, std::string_view key) const = 0;
};

struct InformerOptions {
  bool metadata_only = false;
  std::string label_selector = {};
  std::string field_selector = {};
};

// One informer for each resource and set of options, made when it is first asked for.
class InformerSet {
 public:
  virtual ~InformerSet() = default;
  virtual Informer& For(const ApiResource& resource, InformerOptions options = {}) = 0;
  // Ends and forgets one whose resource is no longer there, unless it still has handlers. Nobody
  // else may use it any more, nor may it be what is calling.
  virtual void Drop(Informer& informer) = 0;
  // Starts those that have not started.
  virtual void Start() = 0;
  virtual bool synced() const = 0;
};

// Failures are written to the log, if there is one. All must outlive the set.
std::unique_ptr<InformerSet> MakeInformerSet(Client client, Random& random, Log* log = nullptr);

}  // namespace skiff::client
