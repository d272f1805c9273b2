#include "controllers/namespace_contents.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "controllers/owner_reference.h"
#include "controllers/run_concurrently.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core_v1 = views::core_v1;

// How long finalizers of objects are given to be seen to.
constexpr int64_t kFinalizerSeconds = 15;

struct Kept {
  int64_t estimate_seconds = 0;
  int64_t remaining = 0;
  std::map<std::string, int64_t> finalizers = {};
  std::string failure = {};  // empty: there was none
};

bool IsPods(const client::ApiResource& resource) {
  return resource.group.empty() && resource.name == "pods";
}

// A resource may be announced without the verbs that it is asked for.
bool IsUnsupported(const Status& status) {
  return status.reason() == StatusReason::kMethodNotAllowed ||
         status.reason() == StatusReason::kNotFound;
}

class ResourceDeletion {
 public:
  ResourceDeletion(client::Client client, Clock& clock,
                   const client::DiscoveredResource& discovered, const std::string& name_space,
                   object::Timestamp deleted_at)
      : client_(std::move(client)),
        clock_(clock),
        discovered_(discovered),
        name_space_(name_space),
        deleted_at_(deleted_at) {}

  Task<Kept> Run() {
    Kept kept;
    if (IsPods(resource())) {
      Result<int64_t> estimate = co_await EstimateGrace();
      if (!estimate) {
        kept.failure = estimate.error().message();
        co_return kept;
      }
      kept.estimate_seconds = *estimate;
    }
    Result<void> deleted = co_await DeleteAll();
    if (!deleted) {
      kept.failure = deleted.error().message();
      co_return kept;
    }
    co_return co_await CountLeft(std::move(kept));
  }

 private:
  using Visit = std::function<void(const object::Document& object)>;

  const client::ApiResource& resource() const { return discovered_.resource; }

  // False: the resource cannot be listed.
  Task<Result<bool>> ForEach(bool metadata_only, Visit visit) {
    if (!discovered_.Has("list")) co_return false;
    std::string continue_token;
    do {
      client::ClientCall call;
      call.resource = &resource();
      call.target.name_space = name_space_;
      call.metadata_only = metadata_only;
      call.limit = limits::kNamespacePageItems;
      call.continue_token = std::move(continue_token);
      Result<client::ClientReply> page = co_await client_.List(std::move(call));
      if (!page) {
        if (IsUnsupported(page.error())) co_return false;
        co_return std::unexpected(std::move(page).error());
      }
      for (const client::ObjectPtr& item : page->items) visit(*item);
      continue_token = std::move(page->continue_token);
    } while (!continue_token.empty());
    co_return true;
  }

  // The longest grace of a pod that runs; none once all of them should long be gone.
  Task<Result<int64_t>> EstimateGrace() {
    int64_t longest = 0;
    Visit visit = [&longest](const object::Document& object) {
      const core_v1::Pod pod(object);
      const std::string_view phase = pod.status().phase();
      if (phase == "Succeeded" || phase == "Failed") return;
      longest = std::max(longest, pod.spec().termination_grace_period_seconds().value_or(0));
    };
    Result<bool> listed = co_await ForEach(false, visit);
    if (!listed) co_return std::unexpected(std::move(listed).error());
    const int64_t now = std::chrono::floor<std::chrono::seconds>(clock_.Wall()).count();
    if (now - deleted_at_.seconds >= longest) co_return int64_t{0};
    co_return longest;
  }

  Task<Result<void>> DeleteAll() {
    if (discovered_.Has("deletecollection")) {
      client::ClientCall call;
      call.verb = client::ClientVerb::kDeleteCollection;
      call.resource = &resource();
      call.target.name_space = name_space_;
      call.metadata_only = true;  // what was there is answered, and nobody looks at it
      // Everything in the namespace goes, so that nothing must be orphaned.
      call.deletion.propagation = "Background";
      Result<client::ClientReply> deleted = co_await client_.Send(std::move(call));
      if (deleted) co_return Result<void>();
      if (!IsUnsupported(deleted.error())) co_return std::unexpected(std::move(deleted).error());
    }
    co_return co_await DeleteEach();
  }

  Task<Result<void>> DeleteEach() {
    std::vector<client::ObjectName> names;
    Visit visit = [&names](const object::Document& object) {
      names.push_back(client::NameOf(object));
    };
    Result<bool> listed = co_await ForEach(true, visit);
    if (!listed) co_return std::unexpected(std::move(listed).error());
    std::optional<Status> failure;
    std::function<Task<bool>(size_t)> work = [this, &names, &failure](size_t index) {
      return DeleteOne(names[index], &failure);
    };
    co_await RunConcurrently(limits::kControllerConcurrency, names.size(), work);
    if (failure) co_return std::unexpected(std::move(*failure));
    co_return Result<void>();
  }

  Task<bool> DeleteOne(client::ObjectName name, std::optional<Status>* failure) {
    const client::DeleteChoice how{.propagation = "Background"};
    Result<void> deleted = co_await client_.Delete(resource(), std::move(name), how);
    if (deleted || IsUnsupported(deleted.error())) co_return true;
    *failure = std::move(deleted).error();
    co_return false;
  }

  Task<Kept> CountLeft(Kept kept) {
    Visit visit = [&kept](const object::Document& object) {
      ++kept.remaining;
      for (std::string& finalizer : FinalizersOf(object)) ++kept.finalizers[std::move(finalizer)];
    };
    Result<bool> listed = co_await ForEach(true, visit);
    if (!listed) {
      kept = Kept{.estimate_seconds = kept.estimate_seconds, .failure = listed.error().message()};
    } else if (kept.remaining == 0) {
      if (*listed) kept.estimate_seconds = 0;
    } else if (kept.estimate_seconds == 0) {
      if (!kept.finalizers.empty()) {
        kept.estimate_seconds = kFinalizerSeconds;
      } else {
        kept.failure = "unexpected items still remain in namespace: " + name_space_ +
                       " for gvr: " + resource().group + "/" + resource().version +
                       ", Resource=" + resource().name;
      }
    }
    co_return kept;
  }

  client::Client client_;
  Clock& clock_;
  const client::DiscoveredResource& discovered_;
  const std::string& name_space_;
  const object::Timestamp deleted_at_;
};

void Take(const client::ApiResource& resource, Kept kept, NamespacePass& pass) {
  pass.estimate_seconds = std::max(pass.estimate_seconds, kept.estimate_seconds);
  if (!kept.failure.empty()) pass.findings.content_failures.push_back(std::move(kept.failure));
  if (kept.remaining == 0) return;
  pass.findings.remaining[resource.name + "." + resource.group] += kept.remaining;
  for (const auto& [finalizer, count] : kept.finalizers) {
    pass.findings.finalizers[finalizer] += count;
  }
}

// What can hold objects of a namespace and be emptied, pods first. Notes what cannot be told.
std::vector<const client::DiscoveredResource*> Deletable(const client::ServedApi& served,
                                                         NamespaceFindings& findings) {
  std::vector<const client::DiscoveredResource*> deletable;
  for (const client::DiscoveredResource& discovered : served.resources) {
    const client::ApiResource& resource = discovered.resource;
    if (!resource.namespaced || !discovered.Has("delete")) continue;
    if (resource.group.contains('/') || resource.version.contains('/')) {
      findings.parsing_failure = "unexpected GroupVersion string: " + resource.api_version();
      continue;
    }
    deletable.push_back(&discovered);
  }
  std::ranges::stable_partition(
      deletable, [](const client::DiscoveredResource* each) { return IsPods(each->resource); });
  if (!served.unavailable.empty()) {
    findings.discovery_failure = IncompleteDiscovery(served.unavailable);
  }
  return deletable;
}

}  // namespace

Task<NamespacePass> DeleteNamespaceContents(client::Client client, Clock& clock,
                                            std::string name_space, object::Timestamp deleted_at) {
  NamespacePass pass;
  const Result<client::ServedApi> served = co_await client.Discover();
  if (!served) {
    pass.findings.discovery_failure = served.error().message();
    co_return pass;
  }
  for (const client::DiscoveredResource* discovered : Deletable(*served, pass.findings)) {
    const bool pods = IsPods(discovered->resource);
    ResourceDeletion deletion(client, clock, *discovered, name_space, deleted_at);
    Kept kept = co_await deletion.Run();
    Take(discovered->resource, std::move(kept), pass);
    if (pods && !pass.findings.remaining.empty()) break;
  }
  co_return pass;
}

}  // namespace skiff::controllers
