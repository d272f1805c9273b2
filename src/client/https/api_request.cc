#include "client/https/api_request.h"

#include <string>
#include <utility>

#include "base/hex.h"
#include "object/json/encode.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"

namespace skiff::client {
namespace {

constexpr std::string_view kPartial = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::string_view kPartialList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

// The part of a URL behind '?'.
class Query {
 public:
  void Add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_.append(name).append("=").append(PercentEncoded(value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Accepted {
  bool protobuf;
  bool metadata_only;
  bool is_list = false;
  bool is_watch = false;
};

std::string Accept(const ApiResource& resource, const Accepted& accepted) {
  std::string out;
  const auto add = [&](std::string_view media, std::string_view parameters) {
    if (!out.empty()) out += ',';
    out.append(media).append(parameters);
    if (accepted.is_watch && media == kProtobufMedia) out += ";stream=watch";
  };
  const bool in_protobuf = resource.type != nullptr && resource.type->in_protobuf;
  if (accepted.metadata_only) {
    const std::string_view as = accepted.is_list ? kPartialList : kPartial;
    if (accepted.protobuf) add(kProtobufMedia, as);
    add(kJsonMedia, as);
  } else if (accepted.protobuf && in_protobuf) {
    add(kProtobufMedia, "");
  }
  add(kJsonMedia, "");
  return out;
}

std::string CollectionPath(const ApiResource& resource, std::string_view name_space) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/";
  path += resource.version;
  if (resource.namespaced && !name_space.empty())
    path.append("/namespaces/").append(PercentEncoded(name_space));
  return path.append("/").append(resource.name);
}

// DeleteOptions, or nothing when nothing is chosen.
std::string DeletionBody(const DeleteChoice& choice) {
  ByteBuffer out;
  out.Append(R"({"kind":"DeleteOptions","apiVersion":"v1")");
  const size_t bare = out.size();
  if (choice.grace_period_seconds) {
    out.Append(R"(,"gracePeriodSeconds":)");
    object::AppendJsonInt(out, *choice.grace_period_seconds);
  }
  if (!choice.uid.empty() || !choice.resource_version.empty()) {
    out.Append(R"(,"preconditions":{)");
    if (!choice.uid.empty()) {
      out.Append(R"("uid":)");
      object::AppendJsonString(out, choice.uid);
      if (!choice.resource_version.empty()) out.Append(',');
    }
    if (!choice.resource_version.empty()) {
      out.Append(R"("resourceVersion":)");
      object::AppendJsonString(out, choice.resource_version);
    }
    out.Append('}');
  }
  if (!choice.propagation.empty()) {
    out.Append(R"(,"propagationPolicy":)");
    object::AppendJsonString(out, choice.propagation);
  }
  if (out.size() == bare) return {};
  out.Append('}');
  return out.ToString();
}

void SetBody(net::ClientRequest& request, std::string_view media, std::string_view body) {
  if (body.empty()) return;
  request.headers.Add("content-type", std::string(media));
  request.body = SharedBytes(body);
}

Result<void> SetObject(net::ClientRequest& request, const ObjectPtr& object, bool protobuf) {
  if (object == nullptr) return BadRequest("the call has no object to send");
  const object::MessageDesc* type = object->type();
  if (protobuf && type != nullptr && type->in_protobuf) {
    std::string bytes;
    object::EncodeStorage(object->root(), &bytes);
    SetBody(request, kProtobufMedia, bytes);
  } else {
    SetBody(request, kJsonMedia, object::EncodeJson(object->root()));
  }
  return {};
}

std::string_view PatchMedia(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return {};
}

// Method and body, and the query of verbs that write.
Result<void> SetVerb(const ClientCall& call, bool protobuf, net::ClientRequest& request,
                     Query& query) {
  switch (call.verb) {
    case ClientVerb::kGet:
    case ClientVerb::kList:
      return {};
    case ClientVerb::kCreate:
      request.method = "POST";
      query.Add("fieldManager", call.field_manager);
      return SetObject(request, call.body, protobuf);
    case ClientVerb::kUpdate:
      request.method = "PUT";
      query.Add("fieldManager", call.field_manager);
      return SetObject(request, call.body, protobuf);
    case ClientVerb::kPatch:
      request.method = "PATCH";
      query.Add("fieldManager", call.field_manager);
      if (call.force) query.Add("force", "true");
      SetBody(request, PatchMedia(call.patch_type), call.patch);
      return {};
    case ClientVerb::kDelete:
    case ClientVerb::kDeleteCollection:
      request.method = "DELETE";
      SetBody(request, kJsonMedia, DeletionBody(call.deletion));
      return {};
  }
  return {};
}

// The name in the path: of creations only where they go to a subresource.
Result<std::string> NameInPath(const ClientCall& call) {
  if (call.verb == ClientVerb::kList || call.verb == ClientVerb::kDeleteCollection)
    return std::string();
  if (call.verb == ClientVerb::kCreate && call.subresource.empty()) return std::string();
  std::string name = call.target.name;
  if (name.empty() && call.body != nullptr) name = NameOf(*call.body).name;
  if (name.empty()) return BadRequest("resource name may not be empty");
  return name;
}

}  // namespace

std::string PercentEncoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
  return out;
}

bool IsIdempotent(ClientVerb verb) { return verb == ClientVerb::kGet || verb == ClientVerb::kList; }

Result<net::ClientRequest> MakeRequest(const ClientCall& call, bool protobuf) {
  const ApiResource& resource = *call.resource;
  SKIFF_ASSIGN_OR_RETURN(const std::string name, NameInPath(call));
  std::string name_space = call.target.name_space;
  if (name_space.empty() && call.body != nullptr) name_space = NameOf(*call.body).name_space;
  const bool is_collection =
      call.verb == ClientVerb::kList || call.verb == ClientVerb::kDeleteCollection;
  if (resource.namespaced && name_space.empty() && call.verb != ClientVerb::kList)
    return BadRequest("an empty namespace may not be set when a resource name is provided");
  net::ClientRequest request;
  request.path = CollectionPath(resource, name_space);
  if (!name.empty()) request.path.append("/").append(PercentEncoded(name));
  if (!call.subresource.empty()) request.path.append("/").append(call.subresource);
  Query query;
  SKIFF_RETURN_IF_ERROR(SetVerb(call, protobuf, request, query));
  if (is_collection) {
    query.Add("labelSelector", call.label_selector);
    query.Add("fieldSelector", call.field_selector);
    query.Add("continue", call.continue_token);
    if (call.limit > 0) query.Add("limit", std::to_string(call.limit));
    query.Add("resourceVersionMatch", call.resource_version_match);
  }
  if (is_collection || call.verb == ClientVerb::kGet)
    query.Add("resourceVersion", call.resource_version);
  request.path += query.text();
  const Accepted accepted{.protobuf = protobuf,
                          .metadata_only = call.metadata_only,
                          .is_list = call.verb == ClientVerb::kList};
  request.headers.Add("accept", Accept(resource, accepted));
  return request;
}

net::ClientRequest MakeWatchRequest(const WatchCall& call, int64_t timeout_seconds, bool protobuf) {
  net::ClientRequest request;
  Query query;
  query.Add("watch", "true");
  query.Add("allowWatchBookmarks", "true");
  query.Add("labelSelector", call.label_selector);
  query.Add("fieldSelector", call.field_selector);
  query.Add("resourceVersion", call.resource_version);
  if (call.send_initial_events) {
    query.Add("sendInitialEvents", "true");
    query.Add("resourceVersionMatch", "NotOlderThan");
  }
  query.Add("timeoutSeconds", std::to_string(timeout_seconds));
  request.path = CollectionPath(*call.resource, call.name_space) + query.text();
  const Accepted accepted{
      .protobuf = protobuf, .metadata_only = call.metadata_only, .is_watch = true};
  request.headers.Add("accept", Accept(*call.resource, accepted));
  request.timeout = Clock::kForever;
  return request;
}

}  // namespace skiff::client
