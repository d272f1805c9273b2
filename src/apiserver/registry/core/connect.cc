#include "apiserver/registry/core/connect.h"

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/errors.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/field_errors.h"
#include "base/ip_address.h"
#include "serving/request/respond.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Calls with the object that the request names; answers 404 when there is none.
void WithObject(serving::ApiRequestPtr request, const Endpoint& endpoint, std::string name,
                std::move_only_function<void(serving::ApiRequest&, const object::Document&)> call) {
  const std::string name_space = endpoint.resource->namespaced ? request->info.name_space : "";
  endpoint.storage->cache().Get(
      {name_space, name, ""}, [request = std::move(request), &endpoint, name,
                               call = std::move(call)](Result<store::CacheGetReply> reply) mutable {
        if (!reply) return serving::RespondError(*request, reply.error());
        if (!reply->entry)
          return serving::RespondError(*request, NotFound(*endpoint.resource, name));
        const Result<object::Document> object = DecodeStored(reply->entry->value().view(), {});
        if (!object) return serving::RespondError(*request, object.error());
        call(*request, *object);
      });
}

// An address of one machine somewhere else.
bool IsReachable(std::string_view text) {
  const Result<IpAddress> address = IpAddress::Parse(text);
  return address && !address->IsUnspecified() && !address->IsLoopback() &&
         !address->IsLinkLocal() && !address->IsMulticast();
}

Status NoAgent(std::string_view node) {
  return Status(StatusReason::kServiceUnavailable,
                "node " + std::string(node) + " runs no agent that this server can connect to");
}

std::vector<std::string_view> ContainersOf(const core::PodSpec& spec) {
  std::vector<std::string_view> out;
  for (const core::Container each : spec.init_containers()) out.push_back(each.name());
  for (const core::Container each : spec.containers()) out.push_back(each.name());
  for (const core::EphemeralContainer each : spec.ephemeral_containers()) {
    out.push_back(each.name());
  }
  return out;
}

// Which container is meant; the only one if the client does not say.
Result<void> CheckContainer(const core::Pod& pod, std::string_view wanted) {
  const std::vector<std::string_view> names = ContainersOf(pod.spec());
  const std::string pod_name(pod.metadata().name());
  if (!wanted.empty()) {
    for (const std::string_view each : names) {
      if (each == wanted) return {};
    }
    return BadRequest("container " + std::string(wanted) + " is not valid for pod " + pod_name);
  }
  if (pod.spec().containers().size() == 1) return {};
  std::string message = "a container name must be specified for pod " + pod_name;
  if (!names.empty()) {
    message += ", choose one of: [";
    for (size_t i = 0; i < names.size(); ++i) {
      if (i > 0) message += ' ';
      message += names[i];
    }
    message += ']';
  }
  return BadRequest(std::move(message));
}

Status NoHost(const core::Pod& pod) {
  return Status(StatusReason::kBadRequest,
                "pod " + std::string(pod.metadata().name()) + " does not have a host assigned");
}

void CheckStream(const std::vector<std::string_view>& given, bool has_tail, FieldErrors& errors) {
  if (!errors.IsOn("PodLogsQuerySplitStreams")) {
    if (!given.empty()) errors.Forbidden("stream", "may not be specified");
    return;
  }
  const std::string_view stream = given.empty() ? "All" : given.front();
  ValidateOneOf(stream, {"All", "Stderr", "Stdout"}, "stream", errors);
  if (stream != "All" && has_tail) {
    errors.Forbidden("[]", "`tailLines` and specific `stream` are mutually exclusive for now");
  }
}

Result<void> CheckLogOptions(const serving::ApiRequest& request, const KindSettings& settings) {
  const serving::QueryParameters& query = request.query;
  SKIFF_ASSIGN_OR_RETURN(const std::optional<int64_t> tail, query.OptionalInt("tailLines"));
  SKIFF_ASSIGN_OR_RETURN(const std::optional<int64_t> bytes, query.OptionalInt("limitBytes"));
  SKIFF_ASSIGN_OR_RETURN(const std::optional<int64_t> since, query.OptionalInt("sinceSeconds"));
  FieldErrors errors(settings);
  if (tail && *tail < 0) {
    errors.Invalid("tailLines", *tail, "must be greater than or equal to 0");
  }
  if (bytes && *bytes < 1) errors.Invalid("limitBytes", *bytes, "must be greater than 0");
  if (since && !query.Get("sinceTime").empty()) {
    errors.Forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (since && *since < 1) {
    errors.Invalid("sinceSeconds", *since, "must be greater than 0");
  }
  CheckStream(query.All("stream"), tail.has_value(), errors);
  if (errors.empty()) return {};
  return std::unexpected(Invalid("PodLogOptions", "", request.info.name, errors.Take()));
}

// "name", "name:port" or "scheme:name:port".
struct Target {
  std::string name;
  std::string port;
};
Result<Target> ParseTarget(std::string_view text, std::string_view what) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const Status invalid(StatusReason::kBadRequest,
                       "invalid " + std::string(what) + " request \"" + std::string(text) + "\"");
  if (parts.size() > 3) return std::unexpected(invalid);
  const bool has_scheme = parts.size() == 3;
  if (has_scheme && !parts[0].empty() && parts[0] != "http" && parts[0] != "https") {
    return std::unexpected(invalid);
  }
  Target out{parts[has_scheme ? 1 : 0], parts.size() > 1 ? parts.back() : std::string()};
  if (out.name.empty()) return std::unexpected(invalid);
  return out;
}

Status NoEndpoints(std::string_view service) {
  return Status(StatusReason::kServiceUnavailable,
                "no endpoints available for service \"" + std::string(service) + "\"");
}

// The name of the service's port with this number; `port` itself if it is a name already.
Result<std::string> PortName(const core::Service& service, const std::string& port) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) return port;
  for (const core::ServicePort each : service.spec().ports()) {
    if (each.port() == number) return std::string(each.name());
  }
  return Fail(StatusReason::kServiceUnavailable, "no service port " + port +
                                                     " found for service \"" +
                                                     std::string(service.metadata().name()) + "\"");
}

bool HasPort(const core::Endpoints& endpoints, std::string_view port) {
  for (const core::EndpointSubset subset : endpoints.subsets()) {
    if (subset.addresses().empty()) continue;
    for (const core::EndpointPort each : subset.ports()) {
      if (each.name() == port) return true;
    }
  }
  return false;
}

}  // namespace

void HandlePodLog(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  if (const Result<void> valid = CheckLogOptions(*request, endpoint.context->settings); !valid) {
    return serving::RespondError(*request, valid.error());
  }
  std::string name = request->info.name;
  WithObject(std::move(request), endpoint, std::move(name),
             [](serving::ApiRequest& asked, const object::Document& object) {
               const core::Pod pod(object);
               const Result<void> valid = CheckContainer(pod, asked.query.Get("container"));
               if (!valid) return serving::RespondError(asked, valid.error());
               // Nothing has been written where nothing has run.
               if (pod.spec().node_name().empty()) return serving::RespondBytes(asked, 204, "", {});
               serving::RespondError(asked, NoAgent(pod.spec().node_name()));
             });
}

void HandlePodStream(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  std::string name = request->info.name;
  WithObject(std::move(request), endpoint, std::move(name),
             [](serving::ApiRequest& asked, const object::Document& object) {
               const core::Pod pod(object);
               const Result<void> valid = CheckContainer(pod, asked.query.Get("container"));
               if (!valid) return serving::RespondError(asked, valid.error());
               if (pod.spec().node_name().empty()) return serving::RespondError(asked, NoHost(pod));
               serving::RespondError(asked, NoAgent(pod.spec().node_name()));
             });
}

void HandlePodPortForward(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  std::string name = request->info.name;
  WithObject(std::move(request), endpoint, std::move(name),
             [](serving::ApiRequest& asked, const object::Document& object) {
               const core::Pod pod(object);
               if (pod.spec().node_name().empty()) return serving::RespondError(asked, NoHost(pod));
               serving::RespondError(asked, NoAgent(pod.spec().node_name()));
             });
}

void HandlePodProxy(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  const Result<Target> target = ParseTarget(request->info.name, "pod");
  if (!target) return serving::RespondError(*request, target.error());
  WithObject(std::move(request), endpoint, target->name,
             [](serving::ApiRequest& asked, const object::Document& object) {
               const core::Pod pod(object);
               if (!IsReachable(pod.status().pod_ip())) {
                 return serving::RespondError(
                     asked, Status(StatusReason::kBadRequest, "address not allowed"));
               }
               serving::RespondError(asked, NoAgent(pod.spec().node_name()));
             });
}

void HandleNodeProxy(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  const Result<Target> target = ParseTarget(request->info.name, "node");
  if (!target) return serving::RespondError(*request, target.error());
  WithObject(std::move(request), endpoint, target->name,
             [](serving::ApiRequest& asked, const object::Document& object) {
               serving::RespondError(asked, NoAgent(core::Node(object).metadata().name()));
             });
}

void HandleServiceProxy(serving::ApiRequestPtr request, const Endpoint& endpoint,
                        ResourceStorage* endpoints) {
  const Result<Target> target = ParseTarget(request->info.name, "service");
  if (!target) return serving::RespondError(*request, target.error());
  const auto call = [target = *target, endpoints, &endpoint](serving::ApiRequest& asked,
                                                             const object::Document& object) {
    const core::Service service(object);
    const Result<std::string> port = PortName(service, target.port);
    if (!port) return serving::RespondError(asked, port.error());
    const store::EntryRef entry = FindInCache(endpoints, asked.info.name_space, target.name);
    if (!entry) return serving::RespondError(asked, NotFound(*endpoint.resource, target.name));
    const Result<object::Document> where = DecodeStored(entry->value().view(), {});
    if (!where) return serving::RespondError(asked, where.error());
    if (!HasPort(core::Endpoints(*where), *port)) {
      return serving::RespondError(asked, NoEndpoints(target.name));
    }
    serving::RespondError(
        asked, Status(StatusReason::kServiceUnavailable,
                      "this server has no way to the pods of service \"" + target.name + "\""));
  };
  WithObject(std::move(request), endpoint, target->name, call);
}

}  // namespace skiff::apiserver
