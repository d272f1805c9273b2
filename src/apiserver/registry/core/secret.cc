#include "apiserver/registry/core/secret.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/core/key_pair.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr size_t kMaxDataBytes = 1 << 20;
constexpr std::string_view kIsSealed = "field is immutable when `immutable` is set";
constexpr std::string_view kAccountAnnotation = "kubernetes.io/service-account.name";

void RequireKey(const core::Secret& secret, std::string_view key, FieldErrors& errors) {
  const auto at = errors.AtKey("data", key);
  if (!secret.data().Contains(key)) errors.Required("");
}

// In the words of Go where they are of use. Empty when nothing is wrong.
std::string FaultOfJsonObject(std::string_view json) {
  const std::string_view text = TrimSpace(json);
  if (text.empty()) return "unexpected end of JSON input";
  const Result<object::Document> document = object::DecodeJson(json, nullptr);
  if (!document) {
    if (std::string_view("{[\"-0123456789tfn").find(text[0]) != std::string_view::npos) {
      return document.error().message();
    }
    return "invalid character '" + std::string(text.substr(0, 1)) +
           "' looking for beginning of value";
  }
  const object::Value& root = document->root();
  if (root.is_map() || root.is_null()) return {};
  const std::string_view kind = root.is_list()                     ? "array"
                                : root.is_string()                 ? "string"
                                : root.tag() == object::Tag::kBool ? "bool"
                                                                   : "number";
  return "json: cannot unmarshal " + std::string(kind) +
         " into Go value of type map[string]interface {}";
}

void ValidateJsonKey(const core::Secret& secret, std::string_view key, FieldErrors& errors) {
  RequireKey(secret, key, errors);
  const std::optional<std::string_view> json = secret.data().Find(key);
  if (!json) return;
  const std::string fault = FaultOfJsonObject(*json);
  if (fault.empty()) return;
  const auto at = errors.AtKey("data", key);
  errors.Invalid("", "<secret contents redacted>", fault);
}

// What secrets of a type must hold.
void ValidateType(const core::Secret& secret, FieldErrors& errors) {
  const std::string_view type = secret.type();
  const auto data = secret.data();
  if (type == "kubernetes.io/service-account-token") {
    const auto metadata = errors.At("metadata");
    const auto at = errors.AtKey("annotations", kAccountAnnotation);
    ValidateRequired(secret.metadata().annotations().Get(kAccountAnnotation), "", errors);
  } else if (type == "kubernetes.io/dockercfg") {
    ValidateJsonKey(secret, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    ValidateJsonKey(secret, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    if (data.Contains("username") || data.Contains("password")) return;
    RequireKey(secret, "username", errors);
    RequireKey(secret, "password", errors);
  } else if (type == "kubernetes.io/ssh-auth") {
    const auto at = errors.AtKey("data", "ssh-privatekey");
    ValidateRequired(data.Get("ssh-privatekey"), "", errors);
  } else if (type == "kubernetes.io/tls") {
    RequireKey(secret, "tls.crt", errors);
    RequireKey(secret, "tls.key", errors);
  }
}

void ValidateSecret(const object::Document& object, FieldErrors& errors) {
  const core::Secret secret(object);
  size_t bytes = 0;
  for (const auto& [key, value] : secret.data()) {
    const auto at = errors.AtKey("data", key);
    ValidateFormat(kConfigMapKeyFormat, key, "", errors);
    bytes += value.size();
  }
  if (bytes > kMaxDataBytes) errors.TooLong("data", kMaxDataBytes);
  ValidateType(secret, errors);
}

void ValidateSecretUpdate(const object::Document& object, const object::Document& old,
                          FieldErrors& errors) {
  const core::Secret secret(object);
  const core::Secret before(old);
  ValidateImmutable(before.type(), secret.type(), "type", errors);
  if (before.immutable().value_or(false)) {
    if (!secret.immutable().value_or(false)) errors.Forbidden("immutable", kIsSealed);
    if (!SameValue(old.root().Member(core::Secret::kData),
                   object.root().Member(core::Secret::kData))) {
      errors.Forbidden("data", kIsSealed);
    }
  }
  ValidateSecret(object, errors);
}

void WarnAboutSecret(const object::Document& object, const object::Document*, const KindSettings&,
                     std::vector<std::string>& warnings) {
  const core::Secret secret(object);
  if (secret.type() != "kubernetes.io/tls") return;
  std::string fault = KeyPairFault(secret.data().Get("tls.crt"), secret.data().Get("tls.key"));
  if (!fault.empty()) warnings.push_back(std::move(fault));
}

}  // namespace

constinit const KindRules kSecretRules = {.group = "",
                                          .kind = "Secret",
                                          .create = ValidateSecret,
                                          .update = ValidateSecretUpdate,
                                          .warn = WarnAboutSecret};

}  // namespace skiff::apiserver
