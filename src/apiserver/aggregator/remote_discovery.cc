#include "apiserver/aggregator/remote_discovery.h"

#include <algorithm>
#include <utility>

#include "base/aggregation_limits.h"

namespace skiff::apiserver {
namespace {

constexpr Duration kAskAgain = std::chrono::minutes(1);
constexpr Duration kFirstRetry = std::chrono::milliseconds(500);
constexpr Duration kTimeout = std::chrono::seconds(5);

Duration RetryAfter(int failures) {
  const int doublings = std::min(failures - 1, 20);
  return std::min<Duration>(kFirstRetry * (int64_t{1} << doublings), kAskAgain);
}

std::string PathOf(const BackendSpec& spec) { return "/apis/" + spec.group + "/" + spec.version; }

}  // namespace

void RemoteDiscovery::OnChange() {
  if (!began_.load(std::memory_order_acquire) && context_.backends.All().empty()) return;
  began_.store(true, std::memory_order_release);
  context_.post([this] { Follow(); });
}

void RemoteDiscovery::Follow() {
  std::map<std::string, std::vector<std::shared_ptr<const Backend>>> now;
  for (std::shared_ptr<const Backend>& each : context_.backends.All()) {
    now[PlaceOf(each->spec())].push_back(std::move(each));
  }
  for (auto at = servers_.begin(); at != servers_.end();) {
    if (now.contains(at->first)) {
      ++at;
      continue;
    }
    bytes_ -= at->second.bytes;
    at = servers_.erase(at);
  }
  for (auto& [key, backends] : now) {
    Server& server = servers_[key];
    if (server.backends == backends) continue;
    // What was not kept is needed now, perhaps.
    server.etag.clear();
    server.backends = std::move(backends);
    server.failures = 0;
    if (server.asking) {
      server.again = true;
    } else {
      Ask(key);
    }
  }
}

RemoteDiscovery::Server* RemoteDiscovery::Find(const std::string& key, uint64_t round) {
  const auto found = servers_.find(key);
  return found != servers_.end() && found->second.round == round ? &found->second : nullptr;
}

void RemoteDiscovery::Ask(const std::string& key) {
  Server& server = servers_.at(key);
  server.asking = true;
  server.again = false;
  server.failed = false;
  server.round = ++last_round_;
  server.backends.front()->Get(
      {.path = "/apis",
       .accept = std::string(kAggregatedDiscoveryTypes),
       .if_none_match = server.etag,
       .user = "system:kube-aggregator",
       .groups = {"system:masters"},
       .timeout = kTimeout,
       .max_bytes = limits::kMaxBackendDiscoveryBytes},
      [this, key, round = server.round](const Result<BackendReply>& reply) {
        OnDocument(key, round, reply);
      });
}

void RemoteDiscovery::OnDocument(const std::string& key, uint64_t round,
                                 const Result<BackendReply>& reply) {
  Server* const server = Find(key, round);
  if (server == nullptr) return;
  if (!reply) {
    Fault(*server, reply.error().message());
  } else if (reply->code == 503) {
    Fault(*server, "it answers with 503");
  } else if (reply->code == 304 && !server->etag.empty()) {
    Publish(*server);
  } else if (reply->code == 200 && IsAggregatedDiscovery(reply->headers.Get("content-type"))) {
    Result<DiscoveredResources> documents = ReadGroupDiscovery(reply->body);
    if (!documents) {
      Fault(*server, documents.error().message());
    } else if (!Keep(*server, std::move(*documents))) {
      Fault(*server, "what it and others serve is too much to be kept");
    } else {
      server->etag = reply->headers.Get("etag");
      Publish(*server);
    }
  } else {
    return AskVersions(key, *server);
  }
  EndRound(key, *server);
}

void RemoteDiscovery::AskVersions(const std::string& key, Server& server) {
  server.etag.clear();
  Keep(server, {});
  const auto backends = server.backends;
  server.open = backends.size();
  for (const std::shared_ptr<const Backend>& backend : backends) {
    const BackendSpec& spec = backend->spec();
    backend->Get({.path = PathOf(spec),
                  .accept = "application/json",
                  .user = "system:kube-aggregator",
                  .timeout = kTimeout,
                  .max_bytes = limits::kMaxBackendDiscoveryBytes},
                 [this, key, round = server.round, name = backend->name(),
                  version = Name(spec.group, spec.version)](const Result<BackendReply>& reply) {
                   OnVersion(key, round, name, version, reply);
                 });
  }
}

void RemoteDiscovery::OnVersion(const std::string& key, uint64_t round, const std::string& name,
                                Name version, const Result<BackendReply>& reply) {
  Server* const server = Find(key, round);
  if (server == nullptr) return;
  Result<SharedBytes> resources = !reply ? std::unexpected(reply.error())
                                  : reply->code == 200
                                      ? ReadResourceList(reply->body)
                                      : Fail(StatusReason::kServiceUnavailable,
                                             "it answers with " + std::to_string(reply->code));
  if (resources) {
    DiscoveredResources documents = server->documents;
    documents[std::move(version)] = *resources;
    if (!Keep(*server, std::move(documents))) {
      resources = Fail(StatusReason::kServiceUnavailable,
                       "what it and others serve is too much to be kept");
    }
  }
  if (resources) {
    context_.registered.SetAnswer(name, {.is_stale = false, .resources = *resources});
  } else {
    context_.registered.SetAnswer(name, {});
    server->failed = true;
    if (server->fault != resources.error().message()) {
      server->fault = resources.error().message();
      context_.log.Warning("An extension API server does not tell what it serves",
                           {{"name", name}, {"err", server->fault}});
    }
  }
  if (--server->open == 0) EndRound(key, *server);
}

// Only of the versions that are registered.
bool RemoteDiscovery::Keep(Server& server, DiscoveredResources documents) {
  DiscoveredResources kept;
  size_t bytes = 0;
  for (const std::shared_ptr<const Backend>& backend : server.backends) {
    const Name name(backend->spec().group, backend->spec().version);
    const auto found = documents.find(name);
    if (found == documents.end()) continue;
    bytes += found->second.size();
    kept[name] = std::move(found->second);
  }
  if (bytes_ - server.bytes + bytes > limits::kMaxDiscoveredBytes) return false;
  bytes_ = bytes_ - server.bytes + bytes;
  server.bytes = bytes;
  server.documents = std::move(kept);
  return true;
}

void RemoteDiscovery::Publish(const Server& server) {
  for (const std::shared_ptr<const Backend>& backend : server.backends) {
    const auto found = server.documents.find({backend->spec().group, backend->spec().version});
    context_.registered.SetAnswer(
        backend->name(),
        {.is_stale = false,
         .resources = found != server.documents.end() ? found->second : SharedBytes()});
  }
}

void RemoteDiscovery::Fault(Server& server, const std::string& fault) {
  server.failed = true;
  for (const std::shared_ptr<const Backend>& backend : server.backends) {
    context_.registered.SetAnswer(backend->name(), {});
  }
  if (server.fault == fault) return;
  server.fault = fault;
  context_.log.Warning("An extension API server does not tell what it serves",
                       {{"name", server.backends.front()->name()}, {"err", fault}});
}

void RemoteDiscovery::EndRound(const std::string& key, Server& server) {
  server.asking = false;
  if (server.again) return Ask(key);
  if (!server.failed) server.fault.clear();
  server.failures = server.failed ? server.failures + 1 : 0;
  server.round = ++last_round_;
  context_.executor().After(server.failed ? RetryAfter(server.failures) : kAskAgain,
                            [this, key, round = server.round] {
                              if (Find(key, round) != nullptr) Ask(key);
                            });
}

}  // namespace skiff::apiserver
