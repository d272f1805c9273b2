// The types of an OpenAPI document: `definitions` of version 2, `components.schemas` of version 3.
//
// A SchemaSet collects the types that operations name and all that these refer to, and then writes
// them by name. Where the dialects differ: version 3 shows defaults and wraps references in allOf,
// so that something may stand beside them; version 2 shows neither. What a type or field means
// comes first in either.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/openapi/custom_kinds.h"
#include "apiserver/openapi/descriptions.h"
#include "object/descriptor.h"
#include "serving/request/json_writer.h"

namespace skiff::apiserver {

enum class OpenApiDialect : uint8_t { kV2, kV3 };

// "io.k8s.api.core.v1.Pod"; of types beyond the schema, the group backwards:
// "com.example.stable.v1.CronTab".
std::string SchemaName(const object::MessageDesc& message);

// "#/definitions/…" or "#/components/schemas/…".
std::string SchemaReference(OpenApiDialect dialect, std::string_view name);

class SchemaSet {
 public:
  // Types of version 3 name only the kinds of one group-version and of v1, where a type is known
  // under many; null names all.
  SchemaSet(OpenApiDialect dialect, const object::GroupVersionDesc* version,
            Descriptions& descriptions)
      : dialect_(dialect), version_(version), descriptions_(descriptions) {}

  // Types that are written as these say. To be called before Add().
  void AddCustom(std::span<const CustomKind> kinds);
  void Add(const object::MessageDesc& message);
  bool empty() const { return types_.empty(); }

  // The members of the object, not its brackets.
  void Write(serving::JsonWriter& json) const;

 private:
  // Types that are scalars to the codecs, yet have a schema of their own.
  struct ScalarSchema;
  struct Type {
    const object::MessageDesc* message = nullptr;
    const ScalarSchema* scalar = nullptr;
    std::string custom = {};  // the whole schema, as JSON
  };

  static const ScalarSchema* FindScalar(object::FieldType type, const object::MessageDesc& owner);

  void AddField(const object::MessageDesc& owner, const object::FieldDesc& field);
  // `told` may be null.
  void WriteMessage(serving::JsonWriter& json, const object::MessageDesc& message,
                    const Descriptions::Type* told) const;
  void WriteKinds(serving::JsonWriter& json, const object::MessageDesc& message) const;
  void WriteUnions(serving::JsonWriter& json, const object::MessageDesc& message) const;
  void WriteField(serving::JsonWriter& json, const object::MessageDesc& owner,
                  const object::FieldDesc& field) const;
  // Members of the schema of one value. `default_json` may be empty; `item` of lists and maps.
  void WriteValue(serving::JsonWriter& json, const object::MessageDesc& owner,
                  const object::FieldDesc& field, std::string_view default_json, bool item) const;
  void WriteReference(serving::JsonWriter& json, std::string_view name,
                      std::string_view default_json, bool item) const;

  const OpenApiDialect dialect_;
  const object::GroupVersionDesc* const version_;
  Descriptions& descriptions_;
  std::map<std::string, Type> types_;
};

}  // namespace skiff::apiserver
