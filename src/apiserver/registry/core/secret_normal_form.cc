#include "apiserver/registry/core/secret_normal_form.h"

#include <vector>

#include "apiserver/convert/normal_bytes.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string_view ValueText(const object::Value* value) {
  return value == nullptr ? std::string_view() : value->AsText();
}

Result<void> NormalizeSecret(object::Value& secret, Arena& arena) {
  const object::Value* const strings = secret.Find("stringData");
  if (strings == nullptr) return {};
  const std::vector<object::MapEntry> entries(strings->entries().begin(), strings->entries().end());
  secret.Erase("stringData");
  if (entries.empty()) return {};
  object::Value* data = secret.Find("data");
  if (data == nullptr) data = &secret.Set(arena, "data", object::Value::EmptyMap());
  for (const object::MapEntry& entry : entries) {
    data->SetEntry(arena, entry.key, object::Value::Bytes(ValueText(&entry.value)));
  }
  return {};
}

bool IsNormalSecret(std::string_view secret) {
  static const object::WirePath strings = object::WirePath::Of(core::Secret::Type(), "stringData");
  return IsAbsent(strings, secret);
}

}  // namespace

constinit const NormalForm kSecretNormalForm = {core::Secret::Type, NormalizeSecret,
                                                IsNormalSecret};

}  // namespace skiff::apiserver
