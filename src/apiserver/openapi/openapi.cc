#include "apiserver/openapi/openapi.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/openapi/gnostic.h"
#include "apiserver/openapi/operations.h"
#include "apiserver/openapi/swagger_merge.h"
#include "apiserver/openapi/write_document.h"
#include "serving/request/accept.h"
#include "serving/request/json_writer.h"
#include "serving/request/negotiate.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kIndexPath = "/openapi/v3";
constexpr std::string_view kV2Path = "/openapi/v2";

std::string_view QueryValue(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view parameter = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    if (parameter.starts_with(name) && parameter.substr(name.size()).starts_with('=')) {
      return parameter.substr(name.size() + 1);
    }
  }
  return {};
}

std::string AddressOf(std::string_view name, std::string_view hash) {
  return std::string(kIndexPath).append("/").append(name).append("?hash=").append(hash);
}

// "/version/" → "version".
std::string_view NameOf(const OpenApiPath& path) {
  return std::string_view(path.path).substr(1, path.path.size() - 2);
}

std::string NameOf(const CustomGroupVersion& version) {
  return std::string("apis/").append(version.group).append("/").append(version.version);
}

// "apis/GROUP/VERSION".
struct GroupAndVersion {
  static std::optional<GroupAndVersion> Parse(std::string_view name) {
    if (!name.starts_with("apis/")) return {};
    name.remove_prefix(5);
    const size_t slash = name.find('/');
    if (slash == 0 || slash == std::string_view::npos) return {};
    return GroupAndVersion{name.substr(0, slash), name.substr(slash + 1)};
  }

  std::string_view group;
  std::string_view version;
};

std::vector<std::string> AllNames(const ServedResources& served) {
  std::vector<std::string> names;
  for (const OpenApiPath& path : ServerPaths()) names.emplace_back(NameOf(path));
  for (const ServedGroup& group : served.groups()) {
    const std::string name = group.name.empty() ? "api" : std::string("apis/").append(group.name);
    if (!group.name.empty()) names.push_back(name);
    for (const ServedVersion& version : group.versions) {
      names.push_back(std::string(name).append("/").append(version.info->desc->version));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// With its tag and, if the client has the document already, the code that says so.
serving::DocumentResponse Begin(const serving::DocumentRequest& request, std::string_view hash) {
  serving::DocumentResponse answer;
  answer.etag = serving::QuotedTag(hash);
  if (serving::TagMatches(request.if_none_match, answer.etag)) answer.code = 304;
  return answer;
}

}  // namespace

// What differs between the versions of OpenAPI in how they are asked for.
struct OpenApi::Family {
  std::string_view old_protobuf_type;  // clients may ask by this name,
  std::string_view protobuf_type;      // but are answered by this
  std::optional<std::string> (*to_protobuf)(std::string_view json, bool is_ours);

  enum class Form : uint8_t { kNone, kJson, kProtobuf };
  // Parameters of the ranges do not matter here.
  Form Choose(std::string_view accept) const {
    if (accept.empty()) return Form::kJson;
    for (const serving::MediaRange& range : serving::ParseAccept(accept)) {
      if (range.Covers(serving::kJsonMediaType)) return Form::kJson;
      if (range.Covers(old_protobuf_type) || range.Covers(protobuf_type)) return Form::kProtobuf;
    }
    return Form::kNone;
  }

  static const Family kV2;
  static const Family kV3;
};

constinit const OpenApi::Family OpenApi::Family::kV2{
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", OpenApiV2ToProtobuf};
constinit const OpenApi::Family OpenApi::Family::kV3{
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v3.v1.0+protobuf", OpenApiV3ToProtobuf};

OpenApi::OpenApi(std::shared_ptr<const ServedResources> served, std::string server_version,
                 const CustomKinds* custom, const RemoteDocuments* remote)
    : served_(std::move(served)),
      server_version_(std::move(server_version)),
      custom_(custom),
      remote_(remote) {}

std::optional<serving::DocumentResponse> OpenApi::Answer(
    const serving::DocumentRequest& request) const {
  if (request.path == kV2Path) return AnswerDocument(request, Family::kV2, "");
  if (request.path == kIndexPath) return AnswerIndex();
  if (!request.path.starts_with("/openapi/v3/")) return std::nullopt;
  const std::string_view name = request.path.substr(kIndexPath.size() + 1);
  if (name.empty()) return std::nullopt;
  return AnswerDocument(request, Family::kV3, name);
}

std::optional<serving::DocumentResponse> OpenApi::AnswerDocument(
    const serving::DocumentRequest& request, const Family& family, std::string_view name) const {
  const Family::Form form = family.Choose(request.accept);
  if (form == Family::Form::kNone) {
    serving::DocumentResponse refused;
    refused.code = 406;
    refused.vary = "Accept";
    return refused;
  }
  Descriptions descriptions;
  ByteBuffer json;
  const std::string hash = HashOf(name, descriptions, json);
  if (hash.empty()) return std::nullopt;
  serving::DocumentResponse answer = Begin(request, hash);
  answer.vary = "Accept";
  const std::string_view wanted =
      name.empty() ? std::string_view() : QueryValue(request.query, "hash");
  if (!wanted.empty() && wanted != hash) {
    answer.code = 301;
    answer.location = AddressOf(name, hash);
    return answer;
  }
  if (!wanted.empty()) {
    answer.cache_control = "public, immutable";
    answer.expires_in_one_year = true;
  }
  if (answer.code == 304) return answer;
  if (json.empty()) Write(name, descriptions, json);
  if (form == Family::Form::kJson) {
    answer.content_type = serving::kJsonMediaType;
    answer.body = SharedBytes(json.view());
    return answer;
  }
  const bool is_ours = remote_ == nullptr || remote_->state()->swagger.empty();
  std::optional<std::string> message = family.to_protobuf(json.view(), is_ours);
  if (!message && name.empty()) {
    // What some other server says has no such form.
    ByteBuffer own;
    WriteV2(true, descriptions, own);
    message = family.to_protobuf(own.view(), true);
  }
  if (!message) {
    answer.code = 406;
    return answer;
  }
  answer.content_type = family.protobuf_type;
  answer.body = SharedBytes(*message);
  return answer;
}

// Kubernetes says neither that it is JSON nor which it is, and a client that compares the two
// servers sees the same.
serving::DocumentResponse OpenApi::AnswerIndex() const {
  Descriptions descriptions;  // all documents use much the same types
  ByteBuffer out;
  serving::JsonWriter json(out);
  json.OpenObject();
  json.OpenObject("paths");
  std::map<std::string, std::string> hashes;
  for (const std::string& name : AllNames(*served_)) {
    ByteBuffer unused;
    hashes[name] = HashOf(name, descriptions, unused);
  }
  if (custom_ != nullptr) {
    for (const CustomGroupVersion& version : custom_->GroupVersions()) {
      hashes.try_emplace(NameOf(version), HashOf(version));
    }
  }
  std::map<std::string, std::string> addresses;
  for (const auto& [name, hash] : hashes) addresses[name] = AddressOf(name, hash);
  if (remote_ != nullptr) {
    for (const RemoteDocument& each : remote_->state()->documents) addresses[each.name] = each.url;
  }
  for (const auto& [name, address] : addresses) {
    json.EscapedKey(name);
    json.OpenObject();
    json.String("serverRelativeURL", address);
    json.CloseObject();
  }
  json.CloseObject();
  json.CloseObject();
  serving::DocumentResponse answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = SharedBytes(out.view());
  return answer;
}

std::string OpenApi::HashOf(const CustomGroupVersion& version) const {
  return serving::ContentHash(NameOf(version) + '\n' + server_version_ + '\n' +
                              version.fingerprint);
}

std::string OpenApi::HashOf(std::string_view name, Descriptions& descriptions,
                            ByteBuffer& json) const {
  if (remote_ == nullptr) return OwnHashOf(name, descriptions, json);
  if (!name.empty()) {
    const RemoteDocument remote = remote_->Find(name);
    return !remote.name.empty() ? remote.hash : OwnHashOf(name, descriptions, json);
  }
  const std::shared_ptr<const RemoteOpenApiState> remote = remote_->state();
  if (remote->swagger.empty()) return OwnHashOf(name, descriptions, json);
  ByteBuffer unused;
  std::string all = OwnHashOf(name, descriptions, unused);
  for (const RemoteSwagger& each : remote->swagger) all += each.fingerprint;
  return serving::ContentHash(all);
}

std::string OpenApi::OwnHashOf(std::string_view name, Descriptions& descriptions,
                               ByteBuffer& json) const {
  if (custom_ == nullptr) return BuiltinHashOf(name, descriptions, json);
  if (!name.empty()) {
    std::string hash = BuiltinHashOf(name, descriptions, json);
    const std::optional<GroupAndVersion> custom = GroupAndVersion::Parse(name);
    if (!hash.empty() || !custom) return hash;
    std::string fingerprint = custom_->FingerprintOf(custom->group, custom->version);
    if (fingerprint.empty()) return {};
    return HashOf(
        {std::string(custom->group), std::string(custom->version), std::move(fingerprint)});
  }
  const std::vector<CustomGroupVersion> versions = custom_->GroupVersions();
  if (versions.empty()) return BuiltinHashOf(name, descriptions, json);
  ByteBuffer unused;
  std::string all = BuiltinHashOf(name, descriptions, unused);
  for (const CustomGroupVersion& version : versions) all += HashOf(version);
  return serving::ContentHash(all);
}

std::string OpenApi::BuiltinHashOf(std::string_view name, Descriptions& descriptions,
                                   ByteBuffer& json) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = hashes_.find(name); found != hashes_.end()) return found->second;
  }
  if (!WriteBuiltin(name, descriptions, json)) return {};
  std::string hash = serving::ContentHash(json.view());
  const std::lock_guard lock(mutex_);
  hashes_.emplace(name, hash);
  return hash;
}

bool OpenApi::Write(std::string_view name, Descriptions& descriptions, ByteBuffer& out) const {
  if (name.empty()) {
    WriteMergedV2(descriptions, out);
    return true;
  }
  if (remote_ != nullptr) {
    if (const RemoteDocument remote = remote_->Find(name); !remote.name.empty()) {
      out.Append(remote.json.view());
      return true;
    }
  }
  if (WriteBuiltin(name, descriptions, out)) return true;
  const std::optional<GroupAndVersion> custom = GroupAndVersion::Parse(name);
  return custom && custom_ != nullptr &&
         custom_->WithKinds(custom->group, custom->version,
                            [&](auto kinds) { WriteCustomOpenApiV3(kinds, descriptions, out); });
}

bool OpenApi::WriteBuiltin(std::string_view name, Descriptions& descriptions,
                           ByteBuffer& out) const {
  if (name.empty()) {
    WriteV2(false, descriptions, out);
    return true;
  }
  for (const OpenApiPath& path : ServerPaths()) {
    if (NameOf(path) != name) continue;
    WriteOpenApiV3({&path, 1}, nullptr, server_version_, descriptions, out);
    return true;
  }
  if (name.starts_with("api/")) return WriteVersion("", name.substr(4), descriptions, out);
  if (const std::optional<GroupAndVersion> version = GroupAndVersion::Parse(name)) {
    return WriteVersion(version->group, version->version, descriptions, out);
  }
  if (!name.starts_with("apis/") || name.size() == 5) return false;
  return WriteGroup(name.substr(5), descriptions, out);
}

void OpenApi::WriteV2(bool with_custom, Descriptions& descriptions, ByteBuffer& out) const {
  // By the path that begins each part, the parts are in the order of all their paths.
  std::map<std::string, std::function<std::vector<OpenApiPath>()>> parts;
  for (OpenApiPath& path : ServerPaths()) {
    parts[path.path] = [path] { return std::vector<OpenApiPath>{path}; };
  }
  for (const ServedGroup& group : served_->groups()) {
    const bool core = group.name.empty();
    const std::string root = core ? "/api/" : std::string("/apis/").append(group.name).append("/");
    if (!core) parts[root] = [&group] { return std::vector<OpenApiPath>{GroupPath(group.name)}; };
    for (const ServedVersion& version : group.versions) {
      parts[std::string(root).append(version.info->desc->version).append("/")] = [&version] {
        return VersionPaths(version);
      };
    }
  }
  auto part = parts.begin();
  WriteOpenApiV2(
      [&] { return part == parts.end() ? std::vector<OpenApiPath>() : (part++)->second(); },
      [&](const CustomKinds::Visit& visit) {
        if (custom_ == nullptr || !with_custom) return;
        for (const CustomGroupVersion& version : custom_->GroupVersions()) {
          custom_->WithKinds(version.group, version.version, visit);
        }
      },
      server_version_, descriptions, out);
}

void OpenApi::WriteMergedV2(Descriptions& descriptions, ByteBuffer& out) const {
  std::vector<SharedBytes> parts;
  if (remote_ != nullptr) {
    for (const RemoteSwagger& each : remote_->state()->swagger) parts.push_back(each.json);
  }
  if (parts.empty()) return WriteV2(true, descriptions, out);
  ByteBuffer own;
  WriteV2(true, descriptions, own);
  MergeSwagger(own.view(), parts, out);
}

bool OpenApi::WriteGroup(std::string_view group, Descriptions& descriptions,
                         ByteBuffer& out) const {
  if (served_->FindGroup(group) == nullptr) return false;
  const OpenApiPath path = GroupPath(group);
  WriteOpenApiV3({&path, 1}, nullptr, server_version_, descriptions, out);
  return true;
}

bool OpenApi::WriteVersion(std::string_view group, std::string_view version,
                           Descriptions& descriptions, ByteBuffer& out) const {
  const ServedVersion* const served = served_->FindVersion(group, version);
  if (served == nullptr) return false;
  WriteOpenApiV3(VersionPaths(*served), served->info->desc, server_version_, descriptions, out);
  return true;
}

}  // namespace skiff::apiserver
