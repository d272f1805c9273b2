#include "apiserver/pipeline.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/object_meta.h"
#include "base/limits.h"
#include "base/random.h"
#include "object/scalar/duration.h"
#include "serving/auth/forbidden.h"
#include "serving/request/request_attributes.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// As Kubernetes names them: the method, but LIST and WATCH for reads of many, APPLY for patches
// that apply, CONNECT for what leads to containers; "other" for what nobody has heard of.
std::string_view VerbOfMetric(const serving::ApiRequest& request) {
  const std::string_view method = request.http.method;
  if (request.is_routed) {
    constexpr std::string_view kConnects[] = {"attach", "exec", "log", "portforward", "proxy"};
    const serving::RequestInfo& info = request.info;
    if (std::ranges::find(kConnects, info.subresource) != std::end(kConnects)) return "CONNECT";
    if (info.verb == "list") return "LIST";
    if (info.verb == "watch") return "WATCH";
    const std::string_view type = request.http.headers.Get("content-type");
    if (method == "PATCH" && type == "application/apply-patch+yaml") return "APPLY";
  }
  if (method == "HEAD") return "GET";
  constexpr std::string_view kMethods[] = {"CONNECT", "DELETE", "GET", "PATCH", "POST", "PUT"};
  const auto known = std::ranges::find(kMethods, method);
  return known != std::end(kMethods) ? *known : "other";
}

bool OnlyReads(const serving::RequestInfo& info) {
  return info.verb == "get" || info.verb == "list" || info.verb == "watch";
}

void AskToComeAgain(serving::ApiRequest& request, std::string_view why) {
  net::HttpHeaders extra;
  extra.Add("retry-after", "1");
  extra.Add("x-content-type-options", "nosniff");
  serving::RespondBytes(request, 429, "text/plain; charset=utf-8", SharedBytes(why),
                        std::move(extra));
}

}  // namespace

// Audit has its place here when it comes, after authentication; and the queues of flow control
// instead of the plain limit.
const Pipeline::Stage Pipeline::kStages[] = {
    {"receive", &Pipeline::Receive},
    {"request info", &Pipeline::ReadInfo},
    {"shutdown", &Pipeline::RejectDuringShutdown},
    {"memory", &Pipeline::LimitMemory},
    {"timeout", &Pipeline::LimitTime},
    {"origin", &Pipeline::AnswerOrigin},
    {"authentication", &Pipeline::Authenticate},
    {"impersonation", &Pipeline::Impersonate},
    {"in-flight limit", &Pipeline::LimitInFlight},
    {"flow control", &Pipeline::FindFlow},
    {"authorization", &Pipeline::Authorize},
    {"aggregation", &Pipeline::PassOn},
    {"body", &Pipeline::ReadBody},
    {"route", &Pipeline::Route},
};

void Pipeline::Handle(net::HttpRequest http, net::Responder responder) {
  Begin(std::make_unique<serving::ApiRequest>(
      serving::ApiRequest{.http = std::move(http), .responder = std::move(responder)}));
}

void Pipeline::HandleHead(net::HttpRequest http, net::Responder responder) {
  auto request = std::make_unique<serving::ApiRequest>(
      serving::ApiRequest{.http = std::move(http), .responder = std::move(responder)});
  request->awaits_body = true;
  Begin(std::move(request));
}

void Pipeline::HandleLocal(serving::ApiRequestPtr request) { Begin(std::move(request)); }

void Pipeline::Begin(serving::ApiRequestPtr request) {
  const auto once = std::make_shared<serving::RespondOnce>(std::move(request->responder).Release());
  request->responder = net::Responder(once);
  request->once = once;
  Advance(std::move(request));
  if (!once->answered()) options_.deadlines.Watch(once);
}

void Pipeline::Advance(serving::ApiRequestPtr request) {
  while (request->stage < std::size(kStages)) {
    const Stage& stage = kStages[request->stage++];
    if ((this->*stage.run)(request) == Then::kDone) return;
  }
}

Pipeline::Then Pipeline::Receive(serving::ApiRequestPtr& request) {
  request->started = options_.clock.Monotonic();
  request->on_answer = [this](const serving::ApiRequest& answered, int code, size_t bytes) {
    Count(answered, code, bytes);
  };
  const std::string_view given = request->http.headers.Get("audit-id");
  request->audit_id = given.empty() || given.size() > 64 ? NewUuid(options_.random) : given;
  if (request->local == nullptr) options_.headers.Add(*request);
  return Then::kNext;
}

void Pipeline::Count(const serving::ApiRequest& request, int code, size_t bytes) {
  // Names that lead nowhere are not counted by: there is no end of them.
  static const serving::RequestInfo kNowhere;
  const serving::RequestInfo& info = request.is_routed ? request.info : kNowhere;
  const std::string_view verb = VerbOfMetric(request);
  const std::string_view scope = !info.is_resource                            ? ""
                                 : info.name_in_path || info.verb == "create" ? "resource"
                                 : info.name_space.empty()                    ? "cluster"
                                                                              : "namespace";
  const std::string_view given = request.query.Get("dryRun");
  const std::string_view dry_run = given.empty() || given == "All" ? given : "invalid";
  const std::string code_text = std::to_string(code);
  options_.metrics.request_total
      .With({code_text, "apiserver", dry_run, info.group, info.resource, scope, info.subresource,
             verb, info.version})
      .Add();
  if (serving::IsLongRunning(request.info)) return;
  const double seconds =
      std::chrono::duration<double>(options_.clock.Monotonic() - request.started).count();
  options_.metrics.request_duration_seconds
      .With({"apiserver", dry_run, info.group, info.resource, scope, info.subresource, verb,
             info.version})
      .Observe(seconds);
  if (bytes != 0) {
    options_.metrics.response_sizes
        .With({"apiserver", info.group, info.resource, scope, info.subresource, verb, info.version})
        .Observe(static_cast<double>(bytes));
  }
}

Pipeline::Then Pipeline::ReadInfo(serving::ApiRequestPtr& request) {
  if (request->local == nullptr) {
    Result<serving::QueryParameters> query = serving::QueryParameters::Parse(request->http.query);
    if (!query) {
      serving::RespondError(*request, query.error());
      return Then::kDone;
    }
    request->query = std::move(*query);
  }
  Result<serving::RequestInfo> info =
      serving::ReadRequestInfo(request->http.method, request->http.path, request->query);
  if (!info) {
    serving::RespondError(*request, info.error());
    return Then::kDone;
  }
  request->info = std::move(*info);
  return Then::kNext;
}

Pipeline::Then Pipeline::LimitTime(serving::ApiRequestPtr& request) {
  if (serving::IsLongRunning(request->info)) return Then::kNext;
  Duration timeout = options_.request_timeout;
  if (const std::string_view given = request->query.Get("timeout"); !given.empty()) {
    const Result<int64_t> nanos = object::ParseDuration(given);
    if (!nanos) {
      serving::RespondError(*request, Status(StatusReason::kBadRequest,
                                             "invalid timeout specified in the request URL - " +
                                                 nanos.error().message()));
      return Then::kDone;
    }
    if (*nanos > 0) timeout = std::min(timeout, Duration(*nanos));
  }
  request->deadline = request->started + timeout;
  request->once->deadline = request->deadline;
  request->once->SetAuditId(request->audit_id);
  return Then::kNext;
}

Pipeline::Then Pipeline::RejectDuringShutdown(serving::ApiRequestPtr& request) {
  if (!rejecting_) return Then::kNext;
  // Those that ask how the server is, and the server itself, are answered to the last.
  constexpr std::string_view kAnswered[] = {"/readyz", "/livez", "/healthz", "/metrics"};
  for (const std::string_view prefix : kAnswered) {
    if (request->info.path.starts_with(prefix)) return Then::kNext;
  }
  if (request->http.headers.Get("user-agent").starts_with("kube-apiserver/")) return Then::kNext;
  net::HttpHeaders extra;
  extra.Add("connection", "close");
  extra.Add("retry-after", "5");
  extra.Add("x-content-type-options", "nosniff");
  serving::RespondBytes(*request, 429, "text/plain; charset=utf-8",
                        SharedBytes("The apiserver is shutting down, please try again later.\n"),
                        std::move(extra));
  return Then::kDone;
}

// What makes room is always taken, and so are leases, which do not grow and without which the
// cluster would believe its nodes to be gone. Whatever else stays is refused first, so that one can
// still look what there is to delete.
Pipeline::Then Pipeline::LimitMemory(serving::ApiRequestPtr& request) {
  const serving::RequestInfo& info = request->info;
  if (options_.memory == nullptr || request->local != nullptr || !info.is_resource)
    return Then::kNext;
  const MemoryGauge::Level level = options_.memory->level();
  if (level == MemoryGauge::Level::kRoom || info.verb.starts_with("delete") ||
      info.group == "coordination.k8s.io")
    return Then::kNext;
  if (level == MemoryGauge::Level::kTight && OnlyReads(info)) return Then::kNext;
  AskToComeAgain(*request, "The server is short of memory, please try again later.\n");
  return Then::kDone;
}

Pipeline::Then Pipeline::AnswerOrigin(serving::ApiRequestPtr& request) {
  return options_.headers.AnswerOrigin(*request) ? Then::kDone : Then::kNext;
}

// Administrators are let in however many there are: they are who can help. So are the parts of the
// control plane that run in this process, which keep the cluster going.
Pipeline::Then Pipeline::LimitInFlight(serving::ApiRequestPtr& request) {
  const serving::RequestInfo& info = request->info;
  if (serving::IsLongRunning(info)) return Then::kNext;
  const bool readonly = OnlyReads(info);
  std::atomic<int64_t>& count = readonly ? readonly_in_flight_ : mutating_in_flight_;
  const int64_t bound = readonly ? options_.max_readonly_inflight : options_.max_mutating_inflight;
  const int64_t before = count.fetch_add(1, std::memory_order_relaxed);
  request->in_flight = serving::InFlight(&count);
  if (bound <= 0 || before < bound || request->local != nullptr ||
      request->user.IsIn(serving::kMastersGroup)) {
    return Then::kNext;
  }
  AskToComeAgain(*request, "Too many requests, please try again later.\n");
  return Then::kDone;
}

// Of what takes long only watches belong to a flow.
Pipeline::Then Pipeline::FindFlow(serving::ApiRequestPtr& request) {
  if (options_.flow == nullptr) return Then::kNext;
  if (serving::IsLongRunning(request->info) && request->info.verb != "watch") return Then::kNext;
  const FlowClass* found = options_.flow->Matcher().Match(request->user, request->info);
  if (found == nullptr) return Then::kNext;
  request->answer_headers.Add("x-kubernetes-pf-flowschema-uid", found->schema_uid);
  request->answer_headers.Add("x-kubernetes-pf-prioritylevel-uid", found->level_uid);
  return Then::kNext;
}

Pipeline::Then Pipeline::Authenticate(serving::ApiRequestPtr& request) {
  if (request->local != nullptr) return Then::kNext;  // who made it has said who it is
  // The answer mostly comes before the call returns: then the request goes on in this very loop.
  const net::HttpRequest& http = request->http;
  auto keep = std::make_shared<serving::ApiRequestPtr>(std::move(request));
  options_.authenticator.Authenticate(http, [this, keep](serving::Authentication found) {
    AfterAuthentication(std::move(*keep), std::move(found));
  });
  return Then::kDone;
}

void Pipeline::AfterAuthentication(serving::ApiRequestPtr request, serving::Authentication found) {
  if (!found.ok()) {
    if (found.outcome == serving::Authentication::Outcome::kRefused) {
      options_.log.Verbose(2, "Unable to authenticate the request", {{"err", found.error}});
    }
    return serving::RespondError(*request, Status(StatusReason::kUnauthorized, "Unauthorized"));
  }
  request->user = std::move(found.user);
  // Nobody needs it any more, and what a request is passed on to must not get it.
  request->http.headers.Erase("authorization");
  for (std::string& warning : found.warnings) request->warnings.push_back(std::move(warning));
  Advance(std::move(request));
}

Pipeline::Then Pipeline::Impersonate(serving::ApiRequestPtr& request) {
  Result<std::optional<Impersonation>> wanted = ReadImpersonation(request->http.headers);
  if (!wanted) {
    serving::RespondError(*request, wanted.error());
    return Then::kDone;
  }
  if (!*wanted) return Then::kNext;
  CheckRights(std::move(request), std::make_shared<const Impersonation>(std::move(**wanted)), 0);
  return Then::kDone;
}

void Pipeline::CheckRights(serving::ApiRequestPtr request,
                           std::shared_ptr<const Impersonation> wanted, size_t next) {
  if (next == wanted->rights.size()) {
    request->user = wanted->user;
    return Advance(std::move(request));
  }
  const Impersonation::Right& right = wanted->rights[next];
  const serving::AccessAttributes attributes{.user = &request->user,
                                             .verb = "impersonate",
                                             .is_resource = true,
                                             .group = right.group,
                                             .version = "v1",
                                             .resource = right.resource,
                                             .subresource = right.subresource,
                                             .name_space = right.name_space,
                                             .name = right.name,
                                             .path = {}};
  auto keep = std::make_shared<serving::ApiRequestPtr>(std::move(request));
  options_.authorizer.Authorize(attributes, [this, keep, wanted, next, attributes](
                                                const serving::AuthorizationResult& answer) {
    if (answer.decision == serving::Decision::kAllow) {
      return CheckRights(std::move(*keep), wanted, next + 1);
    }
    serving::RespondError(**keep, serving::ForbiddenStatus(attributes, answer.reason));
  });
}

Pipeline::Then Pipeline::Authorize(serving::ApiRequestPtr& request) {
  struct Kept {
    serving::ApiRequestPtr request;
    std::vector<serving::SelectedBy> selected_by = {};
  };
  serving::AccessAttributes attributes = serving::AttributesOf(*request);
  auto keep = std::make_shared<Kept>(Kept{std::move(request)});
  keep->selected_by = serving::FieldRequirementsOf(*keep->request);
  attributes.field_requirements = keep->selected_by;
  options_.authorizer.Authorize(attributes,
                                [this, keep](const serving::AuthorizationResult& answer) {
                                  AfterAuthorization(std::move(keep->request), answer);
                                });
  return Then::kDone;
}

void Pipeline::AfterAuthorization(serving::ApiRequestPtr request,
                                  const serving::AuthorizationResult& answer) {
  if (answer.decision == serving::Decision::kAllow) return Advance(std::move(request));
  if (!answer.evaluation_error.empty()) {
    options_.log.Error("A request could not be authorized", {{"err", answer.evaluation_error}});
    return serving::RespondInternalError(*request, answer.evaluation_error);
  }
  const serving::AccessAttributes attributes = serving::AttributesOf(*request);
  serving::RespondError(*request, serving::ForbiddenStatus(attributes, answer.reason));
}

Pipeline::Then Pipeline::PassOn(serving::ApiRequestPtr& request) {
  return options_.pass_on && options_.pass_on(request) ? Then::kDone : Then::kNext;
}

Pipeline::Then Pipeline::ReadBody(serving::ApiRequestPtr& request) {
  if (!request->awaits_body) return Then::kNext;
  const net::Responder& responder = request->responder;
  responder.ReadBody([this, kept = std::move(request)](net::RequestBody body) mutable {
    AfterBody(std::move(kept), std::move(body));
  });
  return Then::kDone;
}

void Pipeline::AfterBody(serving::ApiRequestPtr request, net::RequestBody body) {
  request->awaits_body = false;
  if (body.too_large) {
    return serving::RespondError(*request, Status(StatusReason::kRequestEntityTooLarge,
                                                  "Request entity too large: limit is " +
                                                      std::to_string(limits::kMaxHttpBodyBytes)));
  }
  request->http.body = std::move(body.bytes);
  Advance(std::move(request));
}

Pipeline::Then Pipeline::Route(serving::ApiRequestPtr& request) {
  for (const Resolver& resolver : options_.resolvers) {
    if (resolver(request)) return Then::kDone;
  }
  serving::RespondUnknownPath(*request);
  return Then::kDone;
}

}  // namespace skiff::apiserver
