#include "apiserver/aggregator/remote_openapi.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apiserver/openapi/swagger_merge.h"
#include "apiserver/openapi/swagger_to_v3.h"
#include "base/aggregation_limits.h"
#include "object/json/decode.h"
#include "serving/request/document.h"

namespace skiff::apiserver {
namespace {

constexpr Duration kAskAgain = std::chrono::minutes(1);
constexpr Duration kLongestRetry = std::chrono::hours(1);
constexpr Duration kTimeout = std::chrono::minutes(1);
constexpr std::string_view kUser = "system:aggregator";

Duration RetryAfter(int failures) {
  const int doublings = std::min(failures - 1, 20);
  return std::min<Duration>(kAskAgain * (int64_t{1} << doublings), kLongestRetry);
}

std::string DocumentOf(const BackendSpec& spec) {
  return "apis/" + spec.group + "/" + spec.version;
}

Status Unexpected(int code) {
  return Status(StatusReason::kServiceUnavailable, "it answers with " + std::to_string(code));
}

// The address if it leads to that document, else the plain one.
std::string AddressOf(std::string_view name, const object::Value& entry) {
  std::string plain = std::string("/openapi/v3/").append(name);
  const object::Value* const url = entry.is_map() ? entry.Find("serverRelativeURL") : nullptr;
  if (url == nullptr || !url->is_string()) return plain;
  const std::string_view text = url->AsText();
  const bool is_of_it =
      text.starts_with(plain) && (text.size() == plain.size() || text[plain.size()] == '?');
  return is_of_it ? std::string(text) : plain;
}

}  // namespace

void RemoteOpenApi::OnChange() {
  if (!began_.load(std::memory_order_acquire) && context_.backends.All().empty()) return;
  began_.store(true, std::memory_order_release);
  context_.post([this] { Follow(); });
}

std::shared_ptr<const RemoteOpenApiState> RemoteOpenApi::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void RemoteOpenApi::Follow() {
  std::map<std::string, std::vector<std::shared_ptr<const Backend>>> now;
  for (std::shared_ptr<const Backend>& each : context_.backends.All()) {
    now[PlaceOf(each->spec())].push_back(std::move(each));
  }
  std::erase_if(servers_, [&](const auto& each) {
    const bool goes = !now.contains(each.first);
    if (goes) bytes_ -= each.second.bytes;
    return goes;
  });
  for (auto& [key, backends] : now) {
    Server& server = servers_[key];
    if (server.backends == backends) continue;
    server.backends = std::move(backends);
    server.etag.clear();
    server.body_hash.clear();
    server.failures = 0;
    if (server.asking) {
      server.again = true;
    } else {
      Ask(key);
    }
  }
  Publish();
}

RemoteOpenApi::Server* RemoteOpenApi::Current(const std::string& key, uint64_t round) {
  const auto found = servers_.find(key);
  return found != servers_.end() && found->second.round == round ? &found->second : nullptr;
}

void RemoteOpenApi::Ask(const std::string& key) {
  Server& server = servers_.at(key);
  server.again = false;
  // Another round, so that timers of the last one do not count.
  const uint64_t round = server.round = ++last_round_;
  const auto found = std::ranges::find_if(server.backends,
                                          [](const auto& backend) { return backend->available(); });
  // It is asked when that changes.
  if (found == server.backends.end()) return;
  server.asking = true;
  server.failed = false;
  server.open = 2;
  const std::shared_ptr<const Backend> backend = *found;
  backend->Get({.path = "/openapi/v2",
                .accept = "application/json",
                .if_none_match = server.etag,
                .user = std::string(kUser),
                .timeout = kTimeout,
                .max_bytes = limits::kMaxBackendOpenApiBytes},
               [this, key, round](const Result<BackendReply>& reply) {
                 Server* const asked = Current(key, round);
                 if (asked != nullptr) EndQuestion(key, *asked, TakeSwagger(*asked, reply));
               });
  backend->Get({.path = "/openapi/v3",
                .user = std::string(kUser),
                .timeout = kTimeout,
                .max_bytes = limits::kMaxBackendOpenApiIndexBytes},
               [this, key, round](const Result<BackendReply>& reply) {
                 Server* const asked = Current(key, round);
                 if (asked != nullptr) EndQuestion(key, *asked, TakeIndex(*asked, reply));
               });
}

Result<void> RemoteOpenApi::TakeSwagger(Server& server, const Result<BackendReply>& reply) {
  if (!reply) return std::unexpected(reply.error());
  if (reply->code == 304 && !server.etag.empty()) return {};
  std::map<std::string, RemoteSwagger> swagger;
  size_t bytes = 0;
  std::string hash;
  // One without such a document has nothing to add.
  if (reply->code == 200) {
    hash = serving::ContentHash(reply->body);
    if (hash == server.body_hash) return {};
    SKIFF_ASSIGN_OR_RETURN(const ForeignSwagger read, ForeignSwagger::Read(reply->body));
    for (const std::shared_ptr<const Backend>& backend : server.backends) {
      SharedBytes part = read.PartOf("/" + DocumentOf(backend->spec()) + "/");
      if (part.empty()) continue;
      bytes += part.size();
      std::string fingerprint = serving::ContentHash(part.view());
      swagger[backend->name()] = {std::move(fingerprint), std::move(part)};
    }
    if (bytes_ - server.bytes + bytes > limits::kMaxKeptOpenApiBytes) {
      return Fail(StatusReason::kServiceUnavailable,
                  "the documents of it and of others are too large to be kept");
    }
  } else if (reply->code != 404) {
    return std::unexpected(Unexpected(reply->code));
  }
  bytes_ = bytes_ - server.bytes + bytes;
  server.bytes = bytes;
  server.swagger = std::move(swagger);
  server.body_hash = std::move(hash);
  server.etag = reply->code == 200 ? reply->headers.Get("etag") : "";
  return {};
}

Result<void> RemoteOpenApi::TakeIndex(Server& server, const Result<BackendReply>& reply) {
  if (!reply) return std::unexpected(reply.error());
  std::map<std::string, std::string> addresses;
  if (reply->code == 200) {
    SKIFF_ASSIGN_OR_RETURN(const object::Document index, object::DecodeJson(reply->body, nullptr));
    const object::Value* const paths = index.root().is_map() ? index.root().Find("paths") : nullptr;
    if (paths == nullptr || !paths->is_map()) {
      return Fail(StatusReason::kInternalError, "its index has no paths");
    }
    for (const std::shared_ptr<const Backend>& backend : server.backends) {
      const std::string name = DocumentOf(backend->spec());
      const object::Value* const entry = paths->Find(name);
      if (entry != nullptr) addresses[name] = AddressOf(name, *entry);
    }
  } else if (reply->code != 404) {
    return std::unexpected(Unexpected(reply->code));
  }
  server.addresses = std::move(addresses);
  server.has_v3 = reply->code == 200;
  return {};
}

void RemoteOpenApi::Convert(Server& server) {
  std::map<std::string, Converted> converted;
  for (const std::shared_ptr<const Backend>& backend : server.backends) {
    const auto part = server.swagger.find(backend->name());
    if (server.has_v3 || part == server.swagger.end()) continue;
    std::string name = DocumentOf(backend->spec());
    Converted& made = converted[name];
    if (const auto found = server.converted.find(name);
        found != server.converted.end() && found->second.fingerprint == part->second.fingerprint) {
      made = std::move(found->second);
      continue;
    }
    made.fingerprint = part->second.fingerprint;
    made.document.json = ConvertSwaggerToV3(part->second.json.view());
    made.document.hash = serving::ContentHash(made.document.json.view());
    made.document.url = "/openapi/v3/" + name + "?hash=" + made.document.hash;
    made.document.name = std::move(name);
  }
  server.converted = std::move(converted);
}

void RemoteOpenApi::EndQuestion(const std::string& key, Server& server,
                                const Result<void>& outcome) {
  if (!outcome) {
    server.failed = true;
    if (server.fault != outcome.error().message()) {
      server.fault = outcome.error().message();
      context_.log.Warning("The OpenAPI documents of an extension API server cannot be taken over",
                           {{"name", server.backends.front()->name()}, {"err", server.fault}});
    }
  }
  if (--server.open > 0) return;
  server.asking = false;
  Convert(server);
  Publish();
  if (server.again) return Ask(key);
  if (!server.failed) server.fault.clear();
  server.failures = server.failed ? server.failures + 1 : 0;
  const uint64_t round = server.round = ++last_round_;
  context_.executor().After(server.failed ? RetryAfter(server.failures) : kAskAgain,
                            [this, key, round] {
                              if (Current(key, round) != nullptr) Ask(key);
                            });
}

void RemoteOpenApi::Publish() {
  struct Part {
    const BackendSpec* spec;
    const RemoteSwagger* swagger;
  };
  std::vector<Part> parts;
  std::map<std::string_view, int32_t> groups;  // their highest priorities
  auto made = std::make_shared<RemoteOpenApiState>();
  for (const auto& [key, server] : servers_) {
    for (const std::shared_ptr<const Backend>& backend : server.backends) {
      const BackendSpec& spec = backend->spec();
      int32_t& highest = groups[spec.group];
      highest = std::max(highest, spec.group_priority);
      const std::string name = DocumentOf(spec);
      if (const auto found = server.addresses.find(name); found != server.addresses.end()) {
        made->documents.push_back({.name = name, .url = found->second});
      } else if (const auto other = server.converted.find(name); other != server.converted.end()) {
        made->documents.push_back(other->second.document);
      }
      if (const auto found = server.swagger.find(spec.name); found != server.swagger.end()) {
        parts.push_back({&spec, &found->second});
      }
    }
  }
  std::ranges::sort(parts, {}, [&](const Part& part) {
    return std::tuple(-groups[part.spec->group], std::string_view(part.spec->group),
                      -part.spec->version_priority, std::string_view(part.spec->name));
  });
  for (const Part& part : parts) made->swagger.push_back(*part.swagger);
  std::ranges::sort(made->documents, {}, &RemoteDocument::name);
  const std::lock_guard lock(mutex_);
  state_ = std::move(made);
}

}  // namespace skiff::apiserver
