// Claims of persistent volumes, as objects and in templates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

struct ClaimSpecOptions {
  bool allow_invalid_values_in_selector = false;
  bool allow_invalid_api_group = false;
};

// Each is at what it looks at.
void ValidateClaimSpec(const views::core_v1::PersistentVolumeClaimSpec& spec,
                       const ClaimSpecOptions& options, FieldErrors& errors);
// Metadata that has labels and annotations, and must have nothing else.
void ValidateTemplateMetadata(const views::meta_v1::ObjectMeta& metadata, FieldErrors& errors);
void ValidateClaimTemplate(const views::core_v1::PersistentVolumeClaimTemplate& claim,
                           FieldErrors& errors);
// Amounts of storage that are no whole number of bytes. `path` is where the spec is.
void WarnAboutClaimSpec(const views::core_v1::PersistentVolumeClaimSpec& spec,
                        std::string_view path, std::vector<std::string>& warnings);

}  // namespace skiff::apiserver
