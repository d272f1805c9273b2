// Bytes as a stored object: what is told from them without decoding, that nothing is missing
// (DefaultPlans::LeavesAlone), that nothing has another form (IsNormal), and whose they are
// (ReadStoredIdentity), must hold of the decoded object, if it can be decoded.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/convert/normal_bytes.h"
#include "apiserver/convert/normalize.h"
#include "apiserver/defaults/defaults.h"
#include "apiserver/registry/use_kinds.h"
#include "object/json/decode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/stored_identity.h"

namespace skiff {
namespace {

const apiserver::DefaultPlans& Defaults() {
  static const std::unique_ptr<const apiserver::DefaultPlans> plans =
      apiserver::DefaultsOfKinds({}, nullptr);
  return *plans;
}

std::string MessageOf(const object::Document& object) {
  std::string out;
  object::EncodeProtobuf(object.root(), &out);
  return out;
}

void Require(bool holds) {
  if (!holds) abort();
}

std::string_view TextAt(const object::Document& object, std::string_view member) {
  const object::Value* text = object.root().FindPath({"metadata", member});
  return text != nullptr && text->is_string() ? text->AsText() : std::string_view();
}

void CheckForms(std::string_view stored) {
  const Result<object::ProtobufEnvelope> envelope = object::OpenProtobufEnvelope(stored);
  if (!envelope) return;
  const object::MessageDesc* const type = object::FindKind(envelope->api_version, envelope->kind);
  if (type == nullptr) return;
  const bool has_defaults = Defaults().LeavesAlone(type, envelope->raw);
  const bool is_normal = apiserver::IsNormal(type, envelope->raw);
  Result<object::Document> object = object::DecodeStorage(stored);
  if (!object || object->type() != type) return;
  const std::string given = MessageOf(*object);
  if (is_normal) {
    Result<object::Document> normalized = object::DecodeStorage(stored);
    Require(apiserver::Normalize(*normalized).has_value());
    Require(MessageOf(*normalized) == given);
  }
  Defaults().Apply(*object);
  Require(!has_defaults || MessageOf(*object) == given);
}

// Kinds that are no options, reviews or lists.
bool IsStored(const object::MessageDesc& type) {
  const uint16_t metadata = type.FindField("metadata");
  return metadata != object::MessageDesc::kNoField && type.fields[metadata].message != nullptr &&
         type.fields[metadata].message->name == "ObjectMeta";
}

void CheckIdentity(std::string_view stored) {
  const Result<object::StoredIdentity> identity = object::ReadStoredIdentity(stored);
  const Result<object::Document> object = object::DecodeStorage(stored);
  if (!object || object->type() == nullptr || !IsStored(*object->type())) return;
  Require(identity.has_value());
  Require(identity->name == TextAt(*object, "name"));
  Require(identity->name_space == TextAt(*object, "namespace"));
}

}  // namespace
}  // namespace skiff

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  skiff::apiserver::UseKinds();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view stored(reinterpret_cast<const char*>(data), size);
  if (skiff::object::HasProtobufPrefix(stored)) {
    skiff::CheckForms(stored);
    skiff::CheckIdentity(stored);
  } else {
    static_cast<void>(skiff::object::ReadStoredIdentity(stored));
  }
  return 0;
}
