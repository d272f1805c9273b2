#include "apiserver/openapi/gnostic_message.h"

namespace skiff::apiserver {
namespace {

using enum GnosticField::Kind;
using Message = GnosticMessage;
using Field = GnosticField;

extern const Message kSchema;

constexpr Field kReferenceFields[] = {{"$ref", 1, kString}};
constexpr Message kReference{Message::kFields, kReferenceFields};

constexpr Field kSchemaOrReferenceFields[] = {{"", 1, kMessage, &kSchema},
                                              {"", 2, kMessage, &kReference}};
constexpr Message kSchemaOrReference{Message::kReference, kSchemaOrReferenceFields};
constexpr Field kSchemaPair[] = {{"", 1, kMessage, &kSchemaOrReference}};
constexpr Message kSchemas{Message::kMap, kSchemaPair};  // Properties, SchemasOrReferences
constexpr Message kOneSchema{Message::kWrapped,
                             kSchemaPair};  // ItemsItem, AdditionalPropertiesItem
constexpr Message kDefault{Message::kDefault};

constexpr Field kSchemaFields[] = {
    {"uniqueItems", 20, kBool},
    {"required", 23, kStrings},
    {"enum", 24, kAnys},
    {"type", 25, kString},
    {"allOf", 26, kMessages, &kSchemaOrReference},
    {"oneOf", 27, kMessages, &kSchemaOrReference},
    {"items", 30, kMessage, &kOneSchema},
    {"properties", 31, kMessage, &kSchemas},
    {"additionalProperties", 32, kMessage, &kOneSchema},
    {"default", 33, kMessage, &kDefault},
    {"description", 34, kString},
    {"format", 35, kString},
};
constinit const Message kSchema{Message::kFields, kSchemaFields, 36};

constexpr Field kMediaTypeFields[] = {{"schema", 1, kMessage, &kSchemaOrReference}};
constexpr Message kMediaType{Message::kFields, kMediaTypeFields, 5};
constexpr Field kMediaTypesFields[] = {{"", 1, kMessage, &kMediaType}};
constexpr Message kMediaTypes{Message::kMap, kMediaTypesFields};

constexpr Field kParameterFields[] = {{"name", 1, kString},
                                      {"in", 2, kString},
                                      {"description", 3, kString},
                                      {"required", 4, kBool},
                                      {"schema", 10, kMessage, &kSchemaOrReference}};
constexpr Message kPlainParameter{Message::kFields, kParameterFields, 14};
constexpr Field kParameterOrReferenceFields[] = {{"", 1, kMessage, &kPlainParameter},
                                                 {"", 2, kMessage, &kReference}};
constexpr Message kParameter{Message::kReference, kParameterOrReferenceFields};

constexpr Field kRequestBodyFields[] = {
    {"description", 1, kString}, {"content", 2, kMessage, &kMediaTypes}, {"required", 3, kBool}};
constexpr Message kPlainRequestBody{Message::kFields, kRequestBodyFields, 4};
constexpr Field kRequestBodyOrReferenceFields[] = {{"", 1, kMessage, &kPlainRequestBody},
                                                   {"", 2, kMessage, &kReference}};
constexpr Message kRequestBody{Message::kReference, kRequestBodyOrReferenceFields};

constexpr Field kResponseFields[] = {{"description", 1, kString},
                                     {"content", 3, kMessage, &kMediaTypes}};
constexpr Message kPlainResponse{Message::kFields, kResponseFields, 5};
constexpr Field kResponseOrReferenceFields[] = {{"", 1, kMessage, &kPlainResponse},
                                                {"", 2, kMessage, &kReference}};
constexpr Message kResponse{Message::kReference, kResponseOrReferenceFields};
constexpr Field kResponsesFields[] = {{"", 2, kMessage, &kResponse}};
constexpr Message kResponses{Message::kMap, kResponsesFields};

constexpr Field kOperationFields[] = {
    {"tags", 1, kStrings},
    {"description", 3, kString},
    {"operationId", 5, kString},
    {"parameters", 6, kMessages, &kParameter},
    {"requestBody", 7, kMessage, &kRequestBody},
    {"responses", 8, kMessage, &kResponses},
};
constexpr Message kOperation{Message::kFields, kOperationFields, 13};

constexpr Field kPathItemFields[] = {
    {"get", 4, kMessage, &kOperation},     {"put", 5, kMessage, &kOperation},
    {"post", 6, kMessage, &kOperation},    {"delete", 7, kMessage, &kOperation},
    {"options", 8, kMessage, &kOperation}, {"head", 9, kMessage, &kOperation},
    {"patch", 10, kMessage, &kOperation},  {"parameters", 13, kMessages, &kParameter},
};
constexpr Message kPathItem{Message::kFields, kPathItemFields, 14};
constexpr Field kPathsFields[] = {{"", 1, kMessage, &kPathItem}};
constexpr Message kPaths{Message::kMap, kPathsFields};

constexpr Field kInfoFields[] = {{"title", 1, kString}, {"version", 6, kString}};
constexpr Message kInfo{Message::kFields, kInfoFields, 7};

constexpr Field kSchemeFields[] = {
    {"type", 1, kString}, {"description", 2, kString}, {"name", 3, kString}, {"in", 4, kString}};
constexpr Message kPlainScheme{Message::kFields, kSchemeFields, 9};
constexpr Field kSchemeOrReferenceFields[] = {{"", 1, kMessage, &kPlainScheme},
                                              {"", 2, kMessage, &kReference}};
constexpr Message kScheme{Message::kReference, kSchemeOrReferenceFields};
constexpr Field kSchemePair[] = {{"", 1, kMessage, &kScheme}};
constexpr Message kSchemes{Message::kMap, kSchemePair};

constexpr Field kComponentsFields[] = {{"schemas", 1, kMessage, &kSchemas},
                                       {"securitySchemes", 7, kMessage, &kSchemes}};
constexpr Message kComponents{Message::kFields, kComponentsFields, 10};

constexpr Field kDocumentFields[] = {
    {"openapi", 1, kString},
    {"info", 2, kMessage, &kInfo},
    {"paths", 4, kMessage, &kPaths},
    {"components", 5, kMessage, &kComponents},
};

}  // namespace

constinit const GnosticMessage kGnosticV3Document{Message::kFields, kDocumentFields, 9};

}  // namespace skiff::apiserver
