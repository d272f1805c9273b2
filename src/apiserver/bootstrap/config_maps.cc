#include "apiserver/bootstrap/config_maps.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apiserver/rest/errors.h"
#include "object/json/decode.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kEndOfBlock = "-----END CERTIFICATE-----";

// The certificates of a bundle, each with its line break.
std::vector<std::string> Certificates(std::string_view pem) {
  std::vector<std::string> out;
  while (true) {
    const size_t begin = pem.find("-----BEGIN CERTIFICATE-----");
    const size_t end = pem.find(kEndOfBlock);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return out;
    out.push_back(std::string(pem.substr(begin, end + kEndOfBlock.size() - begin)) + "\n");
    pem.remove_prefix(end + kEndOfBlock.size());
  }
}

std::vector<std::string> Names(std::string_view json) {
  std::vector<std::string> out;
  const Result<object::Document> list = object::DecodeJson(json, nullptr);
  if (!list || !list->root().is_list()) return out;
  for (const object::Value& each : list->root().items()) {
    if (each.is_string()) out.emplace_back(each.AsText());
  }
  return out;
}

std::string NamesJson(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + object::JsonText(name);
  return "[" + out + "]";
}

// Those of `first`, then those of `second` that are not among them.
std::vector<std::string> Union(std::vector<std::string> first,
                               const std::vector<std::string>& second) {
  for (const std::string& each : second) {
    if (std::ranges::find(first, each) == first.end()) first.push_back(each);
  }
  return first;
}

std::string_view DataOf(const object::Document& object, std::string_view key) {
  const object::Value* value = object.root().FindPath({"data", key});
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

void AddCertificates(object::Document& object, std::string_view key, const std::string& pem) {
  if (pem.empty()) return;
  std::string all;
  for (const std::string& each : Union(Certificates(DataOf(object, key)), Certificates(pem))) {
    all += each;
  }
  core::MutableConfigMap(object).put_data(key, all);
}

void AddNames(object::Document& object, std::string_view key,
              const std::vector<std::string>& names) {
  core::MutableConfigMap(object).put_data(key, NamesJson(Union(Names(DataOf(object, key)), names)));
}

void AddInfo(const AuthenticationInfo& info, object::Document& object) {
  AddCertificates(object, "client-ca-file", info.client_ca_pem);
  if (info.request_header_ca_pem.empty()) return;
  AddCertificates(object, "requestheader-client-ca-file", info.request_header_ca_pem);
  AddNames(object, "requestheader-allowed-names", info.allowed_names);
  AddNames(object, "requestheader-extra-headers-prefix", info.extra_headers_prefix);
  AddNames(object, "requestheader-group-headers", info.group_headers);
  if (!info.uid_headers.empty()) AddNames(object, "requestheader-uid-headers", info.uid_headers);
  AddNames(object, "requestheader-username-headers", info.username_headers);
}

WantedObject NewConfigMap(std::string_view name) {
  WantedObject out;
  out.resource = object::FindResource("", "v1", "configmaps");
  out.object = core::ConfigMap::New();
  core::MutableConfigMap map(out.object);
  map.mutable_metadata().set_name(name);
  map.mutable_metadata().set_namespace("kube-system");
  return out;
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && object::ParseTime(std::string(text) + "T00:00:00Z").has_value();
}

}  // namespace

std::vector<WantedObject> AuthenticationConfigMap(const AuthenticationInfo& info) {
  std::vector<WantedObject> out;
  if (info.client_ca_pem.empty() && info.request_header_ca_pem.empty()) return out;
  WantedObject map = NewConfigMap("extension-apiserver-authentication");
  AddInfo(info, map.object);
  map.repair = [info](object::Document& object) { AddInfo(info, object); };
  out.push_back(std::move(map));
  return out;
}

WantedObject TokenTrackingConfigMap(object::Timestamp now) {
  WantedObject map = NewConfigMap("kube-apiserver-legacy-service-account-token-tracking");
  map.repair = [now](object::Document& object) {
    if (IsDate(DataOf(object, "since"))) return;
    std::string text;
    object::AppendTime(now, text);
    core::MutableConfigMap(object).put_data("since", text.substr(0, 10));
  };
  map.repair(map.object);
  return map;
}

}  // namespace skiff::apiserver
