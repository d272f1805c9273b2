// Names that are kept for configurations which a server reads from files at its start. The API does
// not manage those: a name like theirs is questionable here, or, once such files can be read
// (ManifestBasedAdmissionControlConfig), not to be had.
#pragma once

#include <string>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of a new object only.
void ValidateStaticName(const object::Document& object, FieldErrors& errors);
void WarnAboutStaticName(const object::Document& object, const object::Document* old,
                         const KindSettings&, std::vector<std::string>& warnings);

}  // namespace skiff::apiserver
