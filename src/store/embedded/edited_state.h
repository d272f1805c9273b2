// The state of a store as a transaction sees it that reads, decides and writes: what is stored,
// with what it and transactions before it have written and what is not on disk yet laid over it.
//
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace skiff::store {

// What such a transaction works with.
class StateEditor {
 public:
  virtual ~StateEditor() = default;
  // Before this transaction. What it writes gets the next one.
  virtual Revision revision() const = 0;
  // Whether it has written something.
  virtual bool changed() const = 0;
  // With its own writes; or, if the request names a revision, as the state was then.
  virtual Result<RangeReply> Range(const RangeRequest& request) = 0;
  virtual bool LeaseExists(LeaseId lease) = 0;
  // Each key at most once.
  virtual Result<void> Put(const std::string& key, SharedBytes value, LeaseId lease) = 0;
  // Of a key that is there.
  virtual void Delete(const std::string& key) = 0;
};

// An error gives up what was written.
using Evaluation = std::move_only_function<Result<void>(StateEditor&)>;

class EditedState final : public StateEditor {
 public:
  struct Base {
    int64_t revision = 0;
    // At `revision` when the request names none.
    std::function<Result<RangeReply>(const RangeRequest&)> range;
    std::function<bool(LeaseId)> lease_exists;
  };
  explicit EditedState(Base base) : base_(std::move(base)), revision_(base_.revision) {}

  // What was written since the last Keep() or Discard().
  const std::vector<Write>& writes() const { return writes_; }
  std::vector<Write> TakeWrites() { return std::move(writes_); }
  // The next transaction sees it.
  void Keep();
  void Discard();

  Revision revision() const override { return {revision_}; }
  bool changed() const override { return !undo_.empty(); }
  Result<RangeReply> Range(const RangeRequest& request) override;
  bool LeaseExists(LeaseId lease) override { return base_.lease_exists(lease); }
  Result<void> Put(const std::string& key, SharedBytes value, LeaseId lease) override;
  void Delete(const std::string& key) override;

 private:
  using Edits = std::map<std::string, std::optional<KeyValue>>;

  void Set(const std::string& key, std::optional<KeyValue> entry);
  Result<RangeReply> Merge(const RangeRequest& request, Edits::const_iterator edit);

  const Base base_;
  int64_t revision_;
  Edits edits_;  // nothing: deleted
  std::vector<Write> writes_;
  // What the edits of this transaction replaced, in order; an outer nothing: there was no edit.
  std::vector<std::pair<std::string, std::optional<std::optional<KeyValue>>>> undo_;
};

}  // namespace skiff::store
