#include "load/plans.h"

#include <atomic>

#include "base/hex.h"

namespace skiff::load {
namespace {

constexpr std::string_view kGet[] = {"get"};
constexpr std::string_view kList[] = {"list"};
constexpr std::string_view kCreate[] = {"create"};
constexpr std::string_view kUpdate[] = {"update"};
constexpr std::string_view kPatch[] = {"patch"};
constexpr std::string_view kDelete[] = {"delete"};
constexpr std::string_view kMixed[] = {"get", "list", "create", "update", "patch", "delete"};

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kTableType = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr std::string_view kMergePatchType = "application/merge-patch+json";

// Of a hundred requests of the mixed scenario; the rest are gets. Creates and deletes are as many,
// so that the number of objects stays about the same.
constexpr uint64_t kListsPerHundred = 5;
constexpr uint64_t kCreatesPerHundred = 10;
constexpr uint64_t kUpdatesPerHundred = 10;
constexpr uint64_t kPatchesPerHundred = 10;
constexpr uint64_t kDeletesPerHundred = 10;
// A page, as most controllers and people ask for.
constexpr uint64_t kMixedListLimit = 50;

std::string_view TypeOf(LoadAccept accept) {
  switch (accept) {
    case LoadAccept::kProtobuf:
      return kProtobufType;
    case LoadAccept::kTable:
      return kTableType;
    default:
      return kJsonType;
  }
}

net::ClientRequest Request(std::string_view method, std::string path, std::string_view accept) {
  net::ClientRequest request;
  request.method = method;
  request.path = std::move(path);
  request.headers.Add("accept", std::string(accept));
  return request;
}

net::ClientRequest RequestWithBody(std::string_view method, std::string path, std::string_view body,
                                   std::string_view type = kJsonType) {
  net::ClientRequest request = Request(method, std::move(path), kJsonType);
  request.headers.Add("content-type", std::string(type));
  request.body = SharedBytes(body);
  return request;
}

class Creates final : public LoadPlan {
 public:
  Creates(const LoadObjects& objects, uint64_t first, uint64_t count)
      : objects_(objects), first_(first), count_(count) {}
  std::optional<LoadStep> Next(Random&) override {
    const uint64_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= count_) return std::nullopt;
    return LoadStep{0,
                    RequestWithBody("POST", objects_.collection(), objects_.Json(first_ + i, 0))};
  }

 private:
  const LoadObjects& objects_;
  const uint64_t first_;
  const uint64_t count_;
  std::atomic<uint64_t> next_ = 0;
};

class Scenario final : public LoadPlan {
 public:
  Scenario(const PlanOptions& options, const LoadObjects& objects)
      : options_(options),
        objects_(objects),
        created_(options.scenario == LoadScenario::kCreate ? 0 : options.objects) {
    list_path_ = objects.collection();
    std::string query;
    if (!options.selector.empty()) query += "&labelSelector=" + QueryEscaped(options.selector);
    const uint64_t limit =
        options.scenario == LoadScenario::kMixed ? kMixedListLimit : options.limit;
    if (limit != 0) query += "&limit=" + std::to_string(limit);
    if (!query.empty()) list_path_ += "?" + query.substr(1);
  }

  std::optional<LoadStep> Next(Random& random) override {
    const uint64_t sent = sent_.fetch_add(1, std::memory_order_relaxed);
    if (options_.count != 0 && sent >= options_.count) return std::nullopt;
    switch (options_.scenario) {
      case LoadScenario::kGet:
        return LoadStep{0, Get(random)};
      case LoadScenario::kList:
        return LoadStep{0, List()};
      case LoadScenario::kCreate:
        return LoadStep{0, Create()};
      case LoadScenario::kUpdate:
        return LoadStep{0, Update(sent % options_.objects, sent)};
      case LoadScenario::kPatch:
        return LoadStep{0, Patch(sent % options_.objects, sent)};
      case LoadScenario::kDelete:
        if (sent >= options_.objects) return std::nullopt;
        return LoadStep{0, Delete(sent)};
      default:
        return Mixed(random, sent);
    }
  }

 private:
  net::ClientRequest Get(Random& random) const {
    return Request("GET", objects_.Path(random.Uniform(options_.objects)), TypeOf(options_.accept));
  }
  net::ClientRequest List() const { return Request("GET", list_path_, TypeOf(options_.accept)); }
  net::ClientRequest Create() {
    const uint64_t number = created_.fetch_add(1, std::memory_order_relaxed);
    return RequestWithBody("POST", objects_.collection(), objects_.Json(number, 0));
  }
  net::ClientRequest Update(uint64_t number, uint64_t generation) const {
    return RequestWithBody("PUT", objects_.Path(number), objects_.Json(number, generation));
  }
  net::ClientRequest Patch(uint64_t number, uint64_t generation) const {
    const std::string body =
        R"({"metadata":{"labels":{"generation":"g)" + std::to_string(generation) + "\"}}}";
    return RequestWithBody("PATCH", objects_.Path(number), body, kMergePatchType);
  }
  net::ClientRequest Delete(uint64_t number) const {
    return Request("DELETE", objects_.Path(number) + "?gracePeriodSeconds=0", kJsonType);
  }

  // Changes go round the objects that were there first, which deletes leave alone; deletes follow
  // creates at a distance, so that what they name has been created.
  LoadStep Mixed(Random& random, uint64_t sent) {
    constexpr uint64_t kDistance = 500;
    uint64_t choice = random.Uniform(100);
    const auto falls_to = [&choice](uint64_t share) {
      const bool hit = choice < share;
      choice -= hit ? 0 : share;
      return hit;
    };
    if (falls_to(kListsPerHundred)) return {1, List()};
    if (falls_to(kCreatesPerHundred)) return {2, Create()};
    if (falls_to(kUpdatesPerHundred)) return {3, Update(sent % options_.objects, sent)};
    if (falls_to(kPatchesPerHundred)) return {4, Patch(sent % options_.objects, sent)};
    if (falls_to(kDeletesPerHundred)) {
      uint64_t next = deleted_.load(std::memory_order_relaxed);
      while (options_.objects + next + kDistance < created_.load(std::memory_order_relaxed))
        if (deleted_.compare_exchange_weak(next, next + 1))
          return {5, Delete(options_.objects + next)};
    }
    return {0, Get(random)};
  }

  const PlanOptions options_;
  const LoadObjects& objects_;
  std::string list_path_;
  std::atomic<uint64_t> sent_ = 0;
  std::atomic<uint64_t> created_;
  std::atomic<uint64_t> deleted_ = 0;
};

}  // namespace

std::span<const std::string_view> OperationsOf(LoadScenario scenario) {
  switch (scenario) {
    case LoadScenario::kGet:
      return kGet;
    case LoadScenario::kList:
      return kList;
    case LoadScenario::kCreate:
    case LoadScenario::kWatch:
      return kCreate;
    case LoadScenario::kUpdate:
      return kUpdate;
    case LoadScenario::kPatch:
      return kPatch;
    case LoadScenario::kDelete:
      return kDelete;
    case LoadScenario::kMixed:
      break;
  }
  return kMixed;
}

std::unique_ptr<LoadPlan> MakePlan(const PlanOptions& options, const LoadObjects& objects) {
  return std::make_unique<Scenario>(options, objects);
}

std::unique_ptr<LoadPlan> MakeCreates(const LoadObjects& objects, uint64_t first, uint64_t count) {
  return std::make_unique<Creates>(objects, first, count);
}

std::string QueryEscaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
  return out;
}

}  // namespace skiff::load
