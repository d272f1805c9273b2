#include "apiserver/managed_fields/versions.h"

#include "apiserver/convert/convert.h"
#include "apiserver/convert/object_converter.h"
#include "object/fields/merge.h"
#include "object/fields/retype.h"
#include "object/open_kind.h"

namespace skiff::apiserver {

const object::MessageDesc* VersionConverter::TypeIn(const object::MessageDesc* type,
                                                    std::string_view api_version) {
  if (type == nullptr) return nullptr;
  if (type->group_version->api_version == api_version) return type;
  if (type->open != nullptr) return type->open->InVersion(api_version);
  const object::MessageDesc* found = object::FindKind(api_version, type->name);
  return found != nullptr && CanConvert(type, found) ? found : nullptr;
}

Result<VersionedValue> VersionConverter::Convert(const VersionedValue& value,
                                                 const object::MessageDesc* to) {
  if (value.type == to) return value;
  SKIFF_ASSIGN_OR_RETURN(const object::Document typed, object::Retype(value.type, value.value));
  SKIFF_ASSIGN_OR_RETURN(object::Document converted, conversions_ != nullptr
                                                         ? conversions_->Convert(typed, to)
                                                         : apiserver::Convert(typed, to));
  made_.push_back(std::move(converted));
  return VersionedValue{made_.back().root(), to};
}

}  // namespace skiff::apiserver
