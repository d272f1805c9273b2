#include "apiserver/openapi/swagger_to_v3.h"

#include <string>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/value.h"
#include "serving/request/json_writer.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kDefinitions = "#/definitions/";
constexpr std::string_view kParameters = "#/parameters/";
constexpr std::string_view kOperations[] = {"delete", "get",  "head", "options",
                                            "patch",  "post", "put"};
// What both versions have.
constexpr std::string_view kKept[] = {"deprecated",  "description", "externalDocs",
                                      "operationId", "summary",     "tags"};

const object::Value* In(const object::Value& value, std::string_view name) {
  return value.is_map() ? value.Find(name) : nullptr;
}

bool IsText(const object::Value* value) { return value != nullptr && value->is_string(); }

class Converter {
 public:
  Converter(const object::Value& root, ByteBuffer& out) : root_(root), json_(out) {}

  void Write() {
    json_.OpenObject();
    json_.String("openapi", "3.0.0");
    json_.OpenObject("info");
    json_.String("title", "");
    json_.String("version", "");
    json_.CloseObject();
    json_.OpenObject("paths");
    ForEach(In(root_, "paths"), [&](std::string_view path, const object::Value& item) {
      json_.EscapedKey(path);
      WritePath(item);
    });
    json_.CloseObject();
    json_.OpenObject("components");
    json_.OpenObject("schemas");
    ForEach(In(root_, "definitions"), [&](std::string_view name, const object::Value& schema) {
      json_.EscapedKey(name);
      WriteSchema(schema);
    });
    json_.CloseObject();
    json_.CloseObject();
    json_.CloseObject();
  }

 private:
  template <typename Call>
  static void ForEach(const object::Value* map, Call call) {
    if (map == nullptr || !map->is_map()) return;
    for (const object::MapEntry& entry : map->entries()) call(entry.key, entry.value);
  }

  void WritePath(const object::Value& item) {
    json_.OpenObject();
    WriteExtensions(item);
    WriteParameters(In(item, "parameters"));
    for (const std::string_view method : kOperations) {
      const object::Value* const operation = In(item, method);
      if (operation == nullptr || !operation->is_map()) continue;
      json_.Key(method);
      WriteOperation(*operation);
    }
    json_.CloseObject();
  }

  void WriteOperation(const object::Value& operation) {
    json_.OpenObject();
    WriteExtensions(operation);
    for (const std::string_view name : kKept) {
      const object::Value* const kept = In(operation, name);
      if (kept != nullptr) json_.Raw(name, object::EncodeJson(*kept));
    }
    const object::Value* const parameters = In(operation, "parameters");
    WriteParameters(parameters);
    if (const object::Value* const body = BodyOf(parameters)) {
      json_.OpenObject("requestBody");
      WriteContent(In(operation, "consumes"), *body);
      json_.CloseObject();
    }
    json_.OpenObject("responses");
    ForEach(In(operation, "responses"), [&](std::string_view code, const object::Value& response) {
      json_.EscapedKey(code);
      json_.OpenObject();
      WriteExtensions(response);
      const object::Value* const text = In(response, "description");
      if (IsText(text)) json_.String("description", text->AsText());
      if (const object::Value* const schema = In(response, "schema")) {
        WriteContent(In(operation, "produces"), *schema);
      }
      json_.CloseObject();
    });
    json_.CloseObject();
    json_.CloseObject();
  }

  void WriteExtensions(const object::Value& from) {
    ForEach(&from, [&](std::string_view name, const object::Value& value) {
      if (!name.starts_with("x-")) return;
      json_.EscapedKey(name);
      json_.Raw(object::EncodeJson(value));
    });
  }

  void WriteContent(const object::Value* types, const object::Value& schema) {
    if (types == nullptr || !types->is_list()) return;
    json_.OpenObject("content");
    for (const object::Value& type : types->items()) {
      if (!type.is_string()) continue;
      json_.EscapedKey(type.AsText());
      json_.OpenObject();
      json_.Key("schema");
      WriteSchema(schema);
      json_.CloseObject();
    }
    json_.CloseObject();
  }

  // The one that is meant, if it is a reference.
  const object::Value& Resolved(const object::Value& parameter) const {
    const object::Value* const reference = In(parameter, "$ref");
    if (!IsText(reference) || !reference->AsText().starts_with(kParameters)) return parameter;
    const object::Value* const shared = In(root_, "parameters");
    const object::Value* const found =
        shared != nullptr ? In(*shared, reference->AsText().substr(kParameters.size())) : nullptr;
    return found != nullptr ? *found : parameter;
  }

  // Its schema; null: there is no body.
  const object::Value* BodyOf(const object::Value* parameters) const {
    if (parameters == nullptr || !parameters->is_list()) return nullptr;
    for (const object::Value& each : parameters->items()) {
      const object::Value& parameter = Resolved(each);
      const object::Value* const place = In(parameter, "in");
      if (IsText(place) && place->AsText() == "body") return In(parameter, "schema");
    }
    return nullptr;
  }

  void WriteParameters(const object::Value* parameters) {
    if (parameters == nullptr || !parameters->is_list()) return;
    json_.OpenArray("parameters");
    for (const object::Value& each : parameters->items()) {
      const object::Value& parameter = Resolved(each);
      const object::Value* const place = In(parameter, "in");
      if (!IsText(place) || place->AsText() == "body") continue;
      json_.OpenObject();
      WriteExtensions(parameter);
      for (const std::string_view name :
           {"allowEmptyValue", "description", "in", "name", "required"}) {
        const object::Value* const kept = In(parameter, name);
        if (kept != nullptr) json_.Raw(name, object::EncodeJson(*kept));
      }
      json_.OpenObject("schema");
      for (const std::string_view name : {"format", "type", "uniqueItems"}) {
        const object::Value* const kept = In(parameter, name);
        if (kept != nullptr) json_.Raw(name, object::EncodeJson(*kept));
      }
      json_.CloseObject();
      json_.CloseObject();
    }
    json_.CloseArray();
  }

  // A reference may have nothing beside it in version 3.
  void WriteSchema(const object::Value& schema) {
    if (schema.is_list()) {
      json_.OpenArray();
      for (const object::Value& item : schema.items()) WriteSchema(item);
      return json_.CloseArray();
    }
    if (!schema.is_map()) return json_.Raw(object::EncodeJson(schema));
    const object::Value* const reference = In(schema, "$ref");
    const bool is_reference = IsText(reference) && reference->AsText().starts_with(kDefinitions);
    const bool is_wrapped = is_reference && schema.size() > 1;
    json_.OpenObject();
    if (is_wrapped) {
      json_.OpenArray("allOf");
      json_.OpenObject();
    }
    if (is_reference) {
      json_.String("$ref", std::string("#/components/schemas/")
                               .append(reference->AsText().substr(kDefinitions.size())));
    }
    if (is_wrapped) {
      json_.CloseObject();
      json_.CloseArray();
    }
    ForEach(&schema, [&](std::string_view name, const object::Value& value) {
      if (is_reference && name == "$ref") return;
      json_.EscapedKey(name);
      WriteSchema(value);
    });
    json_.CloseObject();
  }

  const object::Value& root_;
  serving::JsonWriter json_;
};

}  // namespace

SharedBytes ConvertSwaggerToV3(std::string_view part) {
  const Result<object::Document> read =
      object::DecodeJson(part, nullptr, {.max_bytes = part.size() + 1});
  if (!read) return {};
  ByteBuffer out;
  Converter(read->root(), out).Write();
  return SharedBytes(out.view());
}

}  // namespace skiff::apiserver
