#include "apiserver/registry/apiextensions/default_rules.h"

#include <memory>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/extensions/schema/default_validation.h"
#include "apiserver/extensions/schema/pattern_cache.h"

namespace skiff::apiserver {

void ValidateDefaults(const object::Value* schema, FieldErrors& errors) {
  if (schema == nullptr) return;
  const auto compiled = CompiledSchema::Compile(*schema, std::make_shared<PatternCache>(),
                                                CompiledSchema::Defaults::kAsWritten);
  if (compiled) ValidateDefaultsOf(**compiled, true, errors);
}

}  // namespace skiff::apiserver
