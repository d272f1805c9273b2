// NamespaceLifecycle: objects are written in namespaces that exist, none is created in one that is
// on its way out, and the three that every cluster needs stay.
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/errors.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kImmortal[] = {"default", "kube-system", "kube-public"};

// As long after a namespace was deleted the cache may not know it yet.
constexpr std::chrono::seconds kRecently{30};
constexpr size_t kMaxRecentDeletions = 1024;

// Namespaces that clients deleted a moment ago, as the cache had them then. Thread-safe.
class RecentDeletions {
 public:
  void Remember(std::string_view name, store::Revision revision, Duration now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(deletions_, [&](const Deletion& each) { return each.name == name; });
    if (deletions_.size() == kMaxRecentDeletions) deletions_.pop_front();
    deletions_.push_back({std::string(name), revision, now});
    Forget(now);
  }

  // Whether the namespace was deleted recently and is in the cache as it was before; or the
  // deletion failed after all.
  bool MayBeUnseen(std::string_view name, store::Revision revision, Duration now) {
    if (count_ == 0) return false;
    const std::lock_guard lock(mutex_);
    Forget(now);
    return std::ranges::any_of(deletions_, [&](const Deletion& each) {
      return each.name == name && each.revision == revision;
    });
  }

 private:
  void Forget(Duration now) {
    while (!deletions_.empty() && now - deletions_.front().at > kRecently) deletions_.pop_front();
    count_ = deletions_.size();
  }

  struct Deletion {
    std::string name;
    store::Revision revision;
    Duration at;
  };
  std::mutex mutex_;
  std::deque<Deletion> deletions_;  // oldest first
  std::atomic<size_t> count_ = 0;   // spares nearly all requests the lock
};

class NamespaceLifecycle final : public AdmissionPlugin {
 public:
  NamespaceLifecycle(ResourceStorage* namespaces, Clock& clock)
      : namespaces_(namespaces),
        clock_(clock),
        phase_(namespaces != nullptr ? namespaces->facts().FindField("status.phase")
                                     : std::nullopt) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (request.operation == AdmissionOperation::kConnect) return {};
    const bool deletes = request.operation == AdmissionOperation::kDelete;
    if (IsOf(request, "", "namespaces")) return deletes ? CheckDeletion(request) : Result<void>();
    // A namespace that is going must be emptied, so deletions are no question.
    if (request.name_space.empty() || deletes || namespaces_ == nullptr) return {};
    if (IsOf(request, "authorization.k8s.io", "localsubjectaccessreviews")) return {};
    const store::EntryRef found = FindInCache(namespaces_, "", request.name_space);
    if (!found) return CheckAbsent(request);
    if (!Creates(request) || !phase_) return {};
    if (found->field(*phase_) == "Terminating") return RefuseTerminating(request);
    return CheckDeletedRecently(request, found->revision());
  }

 private:
  Result<void> CheckDeletion(const AdmissionRequest& request) {
    for (const std::string_view name : kImmortal) {
      if (request.name == name) {
        return std::unexpected(
            Forbidden(request.resource, name, "this namespace may not be deleted"));
      }
    }
    if (namespaces_ == nullptr || request.dry_run) return {};
    if (const store::EntryRef found = FindInCache(namespaces_, "", request.name)) {
      deletions_.Remember(request.name, found->revision(), clock_.Monotonic());
    }
    return {};
  }

  // A namespace whose deletion the cache may be behind is looked at once more in the store.
  Result<void> CheckDeletedRecently(AdmissionRequest& request, store::Revision seen) {
    if (request.awaited == nullptr || request.awaited->is_retry ||
        !deletions_.MayBeUnseen(request.name_space, seen, clock_.Monotonic())) {
      return {};
    }
    *request.awaited = {namespaces_, "", std::string(request.name_space)};
    return std::unexpected(NotFound(*namespaces_->hub().resource, request.name_space));
  }

  Result<void> CheckAbsent(AdmissionRequest& request) {
    if (IsMadeIn(request.transaction, *namespaces_, "", request.name_space)) return {};
    if (request.awaited != nullptr) {
      *request.awaited = {namespaces_, "", std::string(request.name_space)};
    }
    return std::unexpected(NotFound(*namespaces_->hub().resource, request.name_space));
  }

  static Result<void> RefuseTerminating(const AdmissionRequest& request) {
    const std::string name(request.name_space);
    std::unexpected<Status> refused = Deny(request, "unable to create new content in namespace " +
                                                        name + " because it is being terminated");
    refused.error().AddCause({"NamespaceTerminating", "namespace " + name + " is being terminated",
                              "metadata.namespace"});
    return refused;
  }

  ResourceStorage* namespaces_;
  Clock& clock_;
  std::optional<size_t> phase_;  // where an entry has it
  RecentDeletions deletions_;
};

}  // namespace

MadePlugin MakeNamespaceLifecycle(const PluginContext& context, std::string_view) {
  return std::make_unique<NamespaceLifecycle>(StorageOf(context, "", "namespaces"), context.clock);
}

}  // namespace skiff::apiserver
