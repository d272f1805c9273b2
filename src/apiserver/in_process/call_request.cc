#include "apiserver/in_process/call_request.h"

#include <string>
#include <utility>

#include "base/hex.h"
#include "base/strings.h"
#include "client/https/api_request.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

// As long as clients of Kubernetes mostly watch.
constexpr int64_t kWatchSeconds = 450;

// Everything else is escaped, so that no name can be read as more than one part of the path.
bool IsPlain(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == ':';
}

void AppendPart(std::string_view part, std::string& path) {
  path += '/';
  for (const char c : part) {
    if (IsPlain(c)) {
      path += c;
      continue;
    }
    (path += '%') += HexByte(c, HexCase::kUpper);
  }
}

std::string CollectionPath(const client::ApiResource& resource, std::string_view name_space) {
  std::string path = resource.group.empty() ? "/api" : "/apis";
  if (!resource.group.empty()) AppendPart(resource.group, path);
  AppendPart(resource.version, path);
  if (resource.namespaced && !name_space.empty()) {
    path += "/namespaces";
    AppendPart(name_space, path);
  }
  AppendPart(resource.name, path);
  return path;
}

std::string_view MethodOf(client::ClientVerb verb) {
  switch (verb) {
    case client::ClientVerb::kGet:
    case client::ClientVerb::kList:
      return "GET";
    case client::ClientVerb::kCreate:
      return "POST";
    case client::ClientVerb::kUpdate:
      return "PUT";
    case client::ClientVerb::kPatch:
      return "PATCH";
    case client::ClientVerb::kDelete:
    case client::ClientVerb::kDeleteCollection:
      return "DELETE";
  }
  return "GET";
}

std::string_view ContentTypeOf(client::PatchType type) {
  switch (type) {
    case client::PatchType::kJson:
      return "application/json-patch+json";
    case client::PatchType::kMerge:
      return "application/merge-patch+json";
    case client::PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case client::PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "application/merge-patch+json";
}

void AddGiven(serving::QueryParameters& query, std::string_view name, const std::string& value) {
  if (!value.empty()) query.Add(name, value);
}

// The names of objects are in the path but where there is none yet, or none is meant.
bool NamesObject(const client::ClientCall& call) {
  switch (call.verb) {
    case client::ClientVerb::kList:
    case client::ClientVerb::kDeleteCollection:
      return false;
    case client::ClientVerb::kCreate:
      return !call.subresource.empty();
    default:
      return true;
  }
}

void AddQuery(const client::ClientCall& call, serving::QueryParameters& query) {
  switch (call.verb) {
    case client::ClientVerb::kGet:
      return AddGiven(query, "resourceVersion", call.resource_version);
    case client::ClientVerb::kList:
    case client::ClientVerb::kDeleteCollection:
      AddGiven(query, "labelSelector", call.label_selector);
      AddGiven(query, "fieldSelector", call.field_selector);
      AddGiven(query, "resourceVersion", call.resource_version);
      AddGiven(query, "resourceVersionMatch", call.resource_version_match);
      AddGiven(query, "continue", call.continue_token);
      if (call.limit > 0) query.Add("limit", std::to_string(call.limit));
      return;
    case client::ClientVerb::kPatch:
      if (call.force) query.Add("force", "true");
      [[fallthrough]];
    case client::ClientVerb::kCreate:
    case client::ClientVerb::kUpdate:
      return AddGiven(query, "fieldManager", call.field_manager);
    case client::ClientVerb::kDelete:
      return;
  }
}

// Null if nothing is chosen.
client::ObjectPtr DeleteOptionsOf(const client::DeleteChoice& choice) {
  if (!choice.grace_period_seconds && choice.uid.empty() && choice.resource_version.empty() &&
      choice.propagation.empty()) {
    return nullptr;
  }
  auto document = std::make_shared<object::Document>(views::meta_v1::DeleteOptions::New());
  views::meta_v1::MutableDeleteOptions options(*document);
  if (choice.grace_period_seconds) options.set_grace_period_seconds(*choice.grace_period_seconds);
  if (!choice.propagation.empty()) options.set_propagation_policy(choice.propagation);
  if (!choice.uid.empty()) options.mutable_preconditions().set_uid(choice.uid);
  if (!choice.resource_version.empty()) {
    options.mutable_preconditions().set_resource_version(choice.resource_version);
  }
  return document;
}

serving::ApiRequestPtr MakeRequest(std::string_view method, std::string path,
                                   std::shared_ptr<net::Responder::Sink> sink) {
  auto request = std::make_unique<serving::ApiRequest>(
      serving::ApiRequest{.http = {}, .responder = net::Responder(std::move(sink))});
  request->http.method = method;
  request->http.path = std::move(path);
  request->http.version = 20;
  return request;
}

}  // namespace

namespace {

// As it would be sent: for who gets it over HTTPS in the end.
Result<serving::ApiRequestPtr> AsSent(const net::ClientRequest& sent,
                                      std::shared_ptr<net::Responder::Sink> sink) {
  const size_t question = sent.path.find('?');
  serving::ApiRequestPtr request =
      MakeRequest(sent.method, sent.path.substr(0, question), std::move(sink));
  if (question != std::string::npos) {
    SKIFF_ASSIGN_OR_RETURN(request->query, serving::QueryParameters::Parse(
                                               std::string_view(sent.path).substr(question + 1)));
  }
  request->http.headers = sent.headers;
  request->http.body = sent.body.view();
  return request;
}

}  // namespace

Result<serving::ApiRequestPtr> RemoteRequestOf(const client::ClientCall& call,
                                               std::shared_ptr<net::Responder::Sink> sink) {
  SKIFF_ASSIGN_OR_RETURN(const net::ClientRequest sent, client::MakeRequest(call, false));
  return AsSent(sent, std::move(sink));
}

Result<serving::ApiRequestPtr> RemoteRequestOf(const client::WatchCall& call,
                                               std::shared_ptr<net::Responder::Sink> sink) {
  return AsSent(client::MakeWatchRequest(call, kWatchSeconds, false), std::move(sink));
}

Result<serving::ApiRequestPtr> RequestOf(const client::ClientCall& call,
                                         std::shared_ptr<net::Responder::Sink> sink) {
  std::string path = CollectionPath(*call.resource, call.target.name_space);
  if (NamesObject(call)) {
    if (call.target.name.empty()) return BadRequest("resource name may not be empty");
    AppendPart(call.target.name, path);
    if (!call.subresource.empty()) AppendPart(call.subresource, path);
  }
  serving::ApiRequestPtr request =
      MakeRequest(MethodOf(call.verb), std::move(path), std::move(sink));
  AddQuery(call, request->query);
  switch (call.verb) {
    case client::ClientVerb::kPatch:
      request->http.headers.Add("content-type", std::string(ContentTypeOf(call.patch_type)));
      request->http.body = call.patch;
      break;
    case client::ClientVerb::kDelete:
    case client::ClientVerb::kDeleteCollection:
      request->body = DeleteOptionsOf(call.deletion);
      break;
    default:
      request->body = call.body;
  }
  return request;
}

serving::ApiRequestPtr RequestOf(const client::WatchCall& call,
                                 std::shared_ptr<net::Responder::Sink> sink) {
  serving::ApiRequestPtr request =
      MakeRequest("GET", CollectionPath(*call.resource, call.name_space), std::move(sink));
  serving::QueryParameters& query = request->query;
  query.Add("watch", "true");
  query.Add("allowWatchBookmarks", "true");
  AddGiven(query, "labelSelector", call.label_selector);
  AddGiven(query, "fieldSelector", call.field_selector);
  AddGiven(query, "resourceVersion", call.resource_version);
  if (call.send_initial_events) {
    query.Add("sendInitialEvents", "true");
    query.Add("resourceVersionMatch", "NotOlderThan");
  }
  return request;
}

}  // namespace skiff::apiserver
