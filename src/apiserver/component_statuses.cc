#include "apiserver/component_statuses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/rest/list.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/respond_stored.h"
#include "apiserver/rest/rest_response.h"
#include "net/client/https_get.h"
#include "object/object_errors.h"
#include "object/protobuf/envelope.h"
#include "object/selector/field_selector.h"
#include "object/selector/label_selector.h"
#include "serving/request/respond.h"
#include "store/cache/ordered_index.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr uint16_t kControllerManagerPort = 10257;
constexpr uint16_t kSchedulerPort = 10259;
constexpr Duration kProbeTimeout = std::chrono::seconds(20);

ComponentHealth AskHttps(const std::string& name, uint16_t port) {
  const net::HttpsTarget target{IpAddress::LoopbackV4(), port, {}, {}, {}};
  const Result<net::HttpsResponse> answer = net::HttpsGet(target, "/healthz", kProbeTimeout);
  if (!answer) {
    // Whoever cannot be asked is ill, in the words that Go has for the usual reason.
    const std::string where = target.address.WithPort(port);
    std::string why = answer.error().message();
    if (why == where + ": Connection refused")
      why = "dial tcp " + where + ": connect: connection refused";
    return {.name = name, .message = "Get \"https://" + where + "/healthz\": " + why, .error = {}};
  }
  const bool healthy = answer->code >= 200 && answer->code < 400;
  return {.name = name,
          .healthy = healthy,
          .message = healthy ? answer->body
                             : "HTTP probe failed with statuscode: " + std::to_string(answer->code),
          .error = {}};
}

ComponentHealth AskStore(store::Store& store) {
  const store::StoreHealth health = store.Health();
  const bool healthy = health.readable && health.writable;
  return {.name = "etcd-0",
          .healthy = healthy,
          .message = !healthy                ? ""
                     : health.damage.empty() ? "ok"
                                             : "ok; " + health.damage,
          .error = healthy ? "" : health.reason};
}

SharedBytes StatusObject(const ComponentHealth& health) {
  object::Document document = core::ComponentStatus::New();
  core::MutableComponentStatus status(document);
  status.mutable_metadata().set_name(health.name);
  auto condition = status.add_conditions();
  condition.set_type("Healthy");
  condition.set_status(health.healthy ? "True" : "False");
  if (!health.message.empty()) condition.set_message(health.message);
  if (!health.error.empty()) condition.set_error(health.error);
  std::string bytes;
  object::EncodeStorage(document.root(), &bytes);
  return SharedBytes(bytes);
}

void AnswerGet(serving::ApiRequest& request, const Endpoint& endpoint,
               const std::vector<ComponentHealth>& all) {
  const auto found = std::ranges::find(all, request.info.name, &ComponentHealth::name);
  if (found == all.end()) {
    // In the singular, as Kubernetes has it.
    return serving::RespondError(request,
                                 object::NotFoundObject("", "componentstatus", request.info.name));
  }
  RespondStored(request, endpoint, 200, StatusObject(*found), store::Revision{});
}

// The selectors of a list. They have no labels, and of fields the name.
struct Wanted {
  object::LabelSelector labels;
  object::FieldSelector fields;

  static Result<Wanted> Read(const serving::ApiRequest& request) {
    SKIFF_ASSIGN_OR_RETURN(object::LabelSelector labels,
                           object::LabelSelector::Parse(request.query.Get("labelSelector")));
    SKIFF_ASSIGN_OR_RETURN(object::FieldSelector fields,
                           object::FieldSelector::Parse(request.query.Get("fieldSelector")));
    return Wanted{std::move(labels), std::move(fields)};
  }
  bool Has(const ComponentHealth& health) const {
    return labels.Matches(nullptr) && fields.MatchesWith([&](std::string_view field) {
      return field == "metadata.name" ? std::string_view(health.name) : std::string_view();
    });
  }
};

void AnswerList(serving::ApiRequest& request, const Endpoint& endpoint,
                const std::vector<ComponentHealth>& all) {
  const Result<serving::OutputFormat> format =
      serving::NegotiateOutput(request, serving::ResponseKind::kList);
  if (!format) return serving::RespondError(request, format.error());
  const Result<Wanted> wanted = Wanted::Read(request);
  if (!wanted) return serving::RespondError(request, wanted.error());
  store::OrderedIndex index;
  for (const ComponentHealth& each : all) {
    if (!wanted->Has(each)) continue;
    index.Put(store::CacheEntry::Make(each.name, store::Revision{}, StatusObject(each),
                                      object::LabelSet()));
  }
  object::SymbolTable symbols;
  store::EntryShape shape;
  shape.namespaced = false;
  shape.find_field = [](std::string_view) { return std::optional<size_t>(); };
  Result<store::Selection> everything = store::Selection::Bind({}, shape, symbols);
  if (!everything) return serving::RespondError(request, everything.error());
  store::ListReply reply(index.Snapshot(), store::Revision{},
                         std::make_shared<const store::Selection>(std::move(*everything)),
                         store::ListReply::Page());
  if (serving::RespondLocally(request, 200, [&](serving::LocalResponse& answer) {
        answer.rest().Listed(endpoint.SharedView(request), std::move(reply));
      })) {
    return;
  }
  auto encoder = MakeListEncoder(request, endpoint, *format, std::move(reply));
  if (!encoder) return serving::RespondError(request, encoder.error());
  RespondList(request, endpoint.context->clock, std::move(*encoder), *format);
}

}  // namespace

std::vector<ComponentCheck> StandardComponents(store::Store& store) {
  const auto https = [](std::string name, uint16_t port) {
    return ComponentCheck{name, [name, port] { return AskHttps(name, port); }};
  };
  return {https("controller-manager", kControllerManagerPort),
          {"etcd-0", [&store] { return AskStore(store); }},
          https("scheduler", kSchedulerPort)};
}

void ComponentStatuses::SetWithin(const std::string& name, std::function<std::string()> fault) {
  const std::lock_guard lock(within_mutex_);
  within_[name] = std::move(fault);
}

ComponentHealth ComponentStatuses::Ask(const ComponentCheck& check) {
  {
    const std::lock_guard lock(within_mutex_);
    const auto within = within_.find(check.name);
    if (within != within_.end() && within->second) {
      const std::string fault = within->second();
      return {.name = check.name,
              .healthy = fault.empty(),
              .message = fault.empty() ? "ok" : fault,
              .error = {}};
    }
  }
  return check.ask();
}

void ComponentStatuses::Answer(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  waiting_.push_back({std::move(request), &endpoint});
  if (thread_ == nullptr) thread_ = std::make_unique<Thread>("components", [this] { Run(); });
  wake_.notify_one();
}

void ComponentStatuses::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    std::vector<Waiting> served = std::exchange(waiting_, {});
    lock.unlock();
    std::vector<ComponentHealth> all;
    for (const ComponentCheck& each : checks_) all.push_back(Ask(each));
    for (const Waiting& each : served) {
      if (each.request->info.name_in_path) {
        AnswerGet(*each.request, *each.endpoint, all);
      } else {
        AnswerList(*each.request, *each.endpoint, all);
      }
    }
    served.clear();
    lock.lock();
  }
}

void ComponentStatuses::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_ = nullptr;
}

}  // namespace skiff::apiserver
