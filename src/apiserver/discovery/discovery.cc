#include "apiserver/discovery/discovery.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "apiserver/discovery/discovery_documents.h"
#include "apiserver/discovery/merged_groups.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "object/transcode/json_to_protobuf.h"
#include "object/yaml/emit.h"

namespace skiff::apiserver {

struct Discovery::Target {
  enum Kind : uint8_t { kVersions, kGroups, kGroup, kResources, kAggregated };
  Kind kind;
  std::string_view group = {};  // of kGroup
  const ServedVersion* version = nullptr;
  bool core = false;

  std::string key() const {
    std::string text(1, static_cast<char>('0' + kind));
    if (core) text += " core";
    if (!group.empty()) text.append(" ").append(group);
    if (version != nullptr) text.append(" ").append(version->info->desc->api_version);
    return text;
  }
  std::string_view message() const {
    constexpr std::string_view kNames[] = {"APIVersions", "APIGroupList", "APIGroup",
                                           "APIResourceList", "APIGroupDiscoveryList"};
    return kNames[kind];
  }
  std::string_view api_version() const {
    if (kind == kAggregated) return "apidiscovery.k8s.io/v2";
    return core ? "" : "v1";
  }
};

namespace {

bool IsAggregated(const serving::Conversion* conversion) {
  return conversion != nullptr && conversion->group == "apidiscovery.k8s.io" &&
         conversion->version == "v2" && conversion->kind == "APIGroupDiscoveryList";
}

bool IsPlain(const serving::Conversion* conversion) { return conversion == nullptr; }

SharedBytes ToProtobuf(std::string_view json, std::string_view api_version,
                       std::string_view message) {
  const object::MessageDesc* const type = object::FindMessage(
      api_version.starts_with("apidiscovery") ? "apidiscovery.k8s.io/v2" : "meta/v1", message);
  ByteBuffer raw;
  const Result<void> encoded = object::JsonToProtobuf(json, *type, raw);
  assert(encoded);  // The text is our own.
  static_cast<void>(encoded);
  std::string bytes;
  object::AppendProtobufEnvelope({.api_version = api_version, .kind = message, .raw = raw.view()},
                                 &bytes);
  return SharedBytes(bytes);
}

Result<SharedBytes> ToYaml(std::string_view json) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, object::DecodeJson(json, nullptr));
  ByteBuffer yaml;
  object::AppendYaml(yaml, document.root());
  return SharedBytes(yaml.view());
}

SharedBytes ToPretty(std::string_view json) {
  ByteBuffer pretty;
  object::AppendPrettyJson(pretty, json, 2);
  return SharedBytes(pretty.view());
}

std::string ContentType(const serving::Negotiated& form) {
  std::string type(form.media_type);
  if (form.conversion) {
    type.append(";g=").append(form.conversion->group);
    type.append(";v=").append(form.conversion->version);
    type.append(";as=").append(form.conversion->kind);
  }
  return type;
}

}  // namespace

Discovery::Discovery(std::shared_ptr<const ServedResources> served, std::string server_address,
                     std::shared_ptr<const RegisteredVersions> registered)
    : served_(std::move(served)),
      server_address_(std::move(server_address)),
      registered_(registered != nullptr ? std::move(registered)
                                        : std::make_shared<const RegisteredVersions>()) {}

std::optional<Discovery::Target> Discovery::TargetOf(std::string_view path) const {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/api") return Target{.kind = Target::kVersions, .core = true};
  if (path == "/apis") return Target{.kind = Target::kGroups};
  if (path.starts_with("/api/")) {
    const ServedVersion* const version = served_->FindVersion("", path.substr(5));
    if (version == nullptr) return std::nullopt;
    return Target{.kind = Target::kResources, .version = version, .core = true};
  }
  if (!path.starts_with("/apis/")) return std::nullopt;
  path.remove_prefix(6);
  const size_t slash = path.find('/');
  const std::string_view name = path.substr(0, slash);
  if (name.empty()) return std::nullopt;
  if (slash == std::string_view::npos) {
    const auto is_of_it = [&](const RegisteredVersion& each) { return each.group == name; };
    if (served_->FindGroup(name) == nullptr && std::ranges::none_of(*registered_, is_of_it)) {
      return std::nullopt;
    }
    return Target{.kind = Target::kGroup, .group = name};
  }
  const ServedVersion* const version = served_->FindVersion(name, path.substr(slash + 1));
  if (version == nullptr) return std::nullopt;
  return Target{.kind = Target::kResources, .version = version};
}

void Discovery::WriteJson(const Target& target, ByteBuffer& out) const {
  switch (target.kind) {
    case Target::kVersions:
      return WriteApiVersions(*served_, server_address_, out);
    case Target::kGroups:
      return WriteApiGroupList(ListGroups(*served_, *registered_), out);
    case Target::kGroup:
      return WriteApiGroup(ListGroup(*served_, *registered_, target.group), out);
    case Target::kResources:
      return WriteApiResourceList(*target.version, out);
    case Target::kAggregated:
      return WriteApiGroupDiscoveryList(MergeGroups(*served_, *registered_),
                                        target.core ? DiscoveryPart::kCore : DiscoveryPart::kGroups,
                                        out);
  }
}

Discovery::Kept Discovery::Get(const Target& target, std::string_view media_type) const {
  const std::lock_guard lock(mutex_);
  Kept& kept = kept_[target.key()];
  if (kept.json.empty()) {
    ByteBuffer json;
    WriteJson(target, json);
    if (target.kind == Target::kAggregated) kept.hash = serving::ContentHash(json.view());
    json.Append('\n');
    kept.json = SharedBytes(json.view());
  }
  if (media_type == serving::kProtobufMediaType && kept.protobuf.empty()) {
    kept.protobuf = ToProtobuf(kept.json.view(), target.api_version(), target.message());
  }
  return kept;
}

Result<serving::DocumentResponse> Discovery::AnswerTarget(
    const Target& target, const serving::Negotiated& form,
    const serving::DocumentRequest& request) const {
  const Kept kept = Get(target, form.media_type);
  serving::DocumentResponse answer;
  if (!kept.hash.empty()) {
    answer.etag = serving::QuotedTag(kept.hash);
    answer.cache_control = "public";
    answer.vary = "Accept";
    if (serving::TagMatches(request.if_none_match, answer.etag)) {
      answer.code = 304;
      return answer;
    }
  }
  answer.content_type = ContentType(form);
  if (form.media_type == serving::kProtobufMediaType) {
    answer.body = kept.protobuf;
  } else if (form.media_type == serving::kYamlMediaType) {
    SKIFF_ASSIGN_OR_RETURN(answer.body, ToYaml(kept.json.view()));
  } else if (form.pretty || serving::WantsPretty(request.query, request.user_agent)) {
    answer.body = ToPretty(kept.json.view());
  } else {
    answer.body = kept.json;
  }
  return answer;
}

Result<std::optional<serving::DocumentResponse>> Discovery::Answer(
    const serving::DocumentRequest& request) const {
  std::optional<Target> target = TargetOf(request.path);
  if (!target) return std::nullopt;
  if (target->kind == Target::kVersions || target->kind == Target::kGroups) {
    const auto form = serving::Negotiate(request.accept, serving::kObjectMediaTypes, IsAggregated);
    if (form && form->conversion) {
      target->kind = Target::kAggregated;
      return AnswerTarget(*target, *form, request);
    }
  }
  const auto form = serving::Negotiate(request.accept, serving::kObjectMediaTypes, IsPlain);
  if (!form) return std::unexpected(serving::NotAcceptable(serving::kObjectMediaTypes));
  return AnswerTarget(*target, *form, request);
}

}  // namespace skiff::apiserver
