#include "apiserver/rest/stored_objects.h"

#include <string>
#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/convert/normal_bytes.h"
#include "apiserver/convert/normalize.h"
#include "apiserver/defaults/defaults.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "base/strings.h"
#include "object/json/encode.h"
#include "object/open_kind.h"
#include "object/protobuf/envelope.h"

namespace skiff::apiserver {

Result<SharedBytes> StoredObjects::Read(const SharedBytes& stored) const {
  if (IsAsWritten(stored.view())) return stored;
  SKIFF_ASSIGN_OR_RETURN(object::Document object, Decode(stored.view()));
  MetaOf(object).Erase("resourceVersion");
  SharedBytes read = EncodeAll(object);
  return read == stored ? stored : read;
}

bool StoredObjects::IsAsWritten(std::string_view stored) const {
  if (!object::HasProtobufPrefix(stored) || storage_.media == object::StorageMedia::kJson)
    return false;
  const Result<object::ProtobufEnvelope> envelope = object::OpenProtobufEnvelope(stored);
  if (!envelope || !envelope->content_encoding.empty()) return false;
  const object::MessageDesc* const type = storage_.stored;
  return envelope->api_version == type->group_version->api_version &&
         envelope->kind == type->name && defaults_.LeavesAlone(type, envelope->raw) &&
         IsNormal(type, envelope->raw) &&
         (!completion_.is_complete || completion_.is_complete(envelope->raw));
}

// In whatever version of its definition it is at rest.
Result<object::Document> StoredObjects::DecodeOpen(std::string_view stored) const {
  SKIFF_ASSIGN_OR_RETURN(object::Document object, DecodeStored(stored, {}, storage_.stored));
  const object::MessageDesc* const type = storage_.stored->open->InVersion(object.api_version());
  if (type == nullptr || object.kind() != type->name) {
    return Fail(StatusReason::kInternalError, "no kind " + Quoted(object.kind()) +
                                                  " is registered for version " +
                                                  Quoted(object.api_version()));
  }
  object.SetOpenType(type);
  SKIFF_RETURN_IF_ERROR(object::CoerceOpen(object, /*stored=*/true, nullptr));
  type->open->Default(object);
  MetaOf meta(object);
  if (meta.generation() == 0) meta.SetGeneration(1);
  if (keeps_versions_) return object;
  return Convert(std::move(object), storage_.stored);
}

Result<object::Document> StoredObjects::Decode(std::string_view stored) const {
  if (storage_.stored->open != nullptr) return DecodeOpen(stored);
  SKIFF_ASSIGN_OR_RETURN(object::Document object, DecodeStored(stored, {}));
  if (object.type() == nullptr) {
    return Fail(StatusReason::kInternalError, "no kind " + Quoted(object.kind()) +
                                                  " is registered for version " +
                                                  Quoted(object.api_version()));
  }
  defaults_.Apply(object);
  SKIFF_ASSIGN_OR_RETURN(object, Convert(std::move(object), storage_.stored));
  SKIFF_RETURN_IF_ERROR(Normalize(object));
  if (completion_.complete) completion_.complete(object);
  return object;
}

SharedBytes StoredObjects::Encode(object::Document& object) const {
  MetaOf meta(object);
  meta.Erase("resourceVersion");
  meta.Erase("selfLink");
  return EncodeAll(object);
}

SharedBytes StoredObjects::EncodeAll(const object::Document& object) const {
  if (storage_.media == object::StorageMedia::kJson || prefer_json_) {
    return SharedBytes(object::EncodeJson(object.root()) + "\n");
  }
  return object::EncodeStorage(object.root());
}

}  // namespace skiff::apiserver
