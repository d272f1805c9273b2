// Who owns whom, over all objects that the garbage collector sees.
//
// A node stands for one uid. It is observed when an informer has shown the object; otherwise it
// stands for an owner that dependents refer to and nobody has seen yet, at the place where the
// first of them says that it is. Dependents may disagree about that place; only an informer knows.
//
// The graph does nothing by itself: it tells a listener which objects deserve a look, and those who
// look compare with the server before they act. It never asks for less than is needed, sometimes
// for more.
//
// Owner: the garbage collector; belongs to its executor. Everything is found and told in an order
// that depends on what was seen and not on addresses, so that runs can be repeated.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "controllers/owner_reference.h"

namespace skiff::controllers {

class OwnerGraph {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The object may have lost its last owner, or may be able to go on with its own deletion.
    virtual void AttemptToDelete(const std::string& uid) = 0;
    // The object is being deleted, and its dependents are to stay.
    virtual void AttemptToOrphan(const std::string& uid) = 0;
    // Somebody refers to this owner, and no informer has shown it.
    virtual void CheckExistence(const std::string& uid) = 0;
    // There is no such object, although there are references to it.
    virtual void Absent(const ObjectIdentity& owner) = 0;
    // The reference is to an owner of another namespace.
    virtual void InvalidNamespace(const ObjectIdentity& dependent,
                                  const OwnerReference& reference) = 0;
  };

  struct Node;
  struct ByUid {
    bool operator()(const Node* a, const Node* b) const {
      return a->identity.uid < b->identity.uid;
    }
  };
  using Dependents = std::set<Node*, ByUid>;

  struct Node {
    ObjectIdentity identity;
    std::vector<OwnerReference> owners;
    std::unique_ptr<Dependents> dependents;  // null: none
    bool observed = false;
    bool being_deleted = false;
    bool deleting_dependents = false;  // deleted in the foreground
    bool orphaning = false;

    bool has_dependents() const { return dependents != nullptr; }
  };

  // What an informer shows of an object.
  struct Seen {
    ObjectIdentity identity;
    std::vector<OwnerReference> owners = {};
    bool being_deleted = false;
    bool foreground = false;
    bool orphan = false;
  };

  explicit OwnerGraph(Listener& listener) : listener_(listener) {}
  OwnerGraph(const OwnerGraph&) = delete;
  OwnerGraph& operator=(const OwnerGraph&) = delete;

  void Observe(Seen seen);
  // An informer has seen the end of the object.
  void Remove(const ObjectIdentity& identity);
  // The server has no such object. True: the node stays, since dependents say that it is somewhere
  // else, and that place is to be looked at as well.
  bool RemoveAbsent(const ObjectIdentity& identity);
  // The kind of this node, which nobody has observed, is known not to be in namespaces.
  void SetClusterWide(const std::string& uid);
  // No informer sees this kind any more; answers the uids of its nodes, ascending.
  std::vector<std::string> Unobserve(std::string_view api_version, std::string_view kind);

  // Null when there is none. Valid until the graph changes.
  const Node* Find(std::string_view uid) const;
  size_t size() const { return nodes_.size(); }
  // Dependents that keep the object from going, when it is deleted in the foreground; by uid.
  std::vector<const Node*> BlockingDependents(const Node& node) const;
  // Whether the object waits, through others that are deleted in the foreground, for itself.
  bool WaitsForItself(const Node& node) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view uid) const { return std::hash<std::string_view>()(uid); }
    size_t operator()(const std::unique_ptr<Node>& node) const {
      return (*this)(node->identity.uid);
    }
  };
  struct Equal {
    using is_transparent = void;
    static std::string_view Uid(std::string_view uid) { return uid; }
    static std::string_view Uid(const std::unique_ptr<Node>& node) { return node->identity.uid; }
    bool operator()(const auto& a, const auto& b) const { return Uid(a) == Uid(b); }
  };
  struct Split {
    std::vector<Node*> matching;
    std::vector<Node*> others;
  };

  Node* Lookup(std::string_view uid);
  Node& Insert(ObjectIdentity identity, bool observed);
  void Drop(Node& node, const ObjectIdentity& as);
  void Identify(Node& node, const ObjectIdentity& identity);
  void ChangeOwners(Node& node, std::vector<OwnerReference> owners);
  void Link(Node& node, std::span<const OwnerReference> owners);
  void Unlink(Node& node, std::span<const OwnerReference> owners);
  bool IsDoubtful(const Node& node, const OwnerReference& reference, const Node& owner);
  void Advance(Node& node, const Seen& seen);
  void AttemptToDeleteAll(std::span<Node* const> nodes);
  static Split SplitDependents(const Node& owner, const ObjectIdentity& identity);

  Listener& listener_;
  std::unordered_set<std::unique_ptr<Node>, Hash, Equal> nodes_;
};

}  // namespace skiff::controllers
