#include "apiserver/openapi/gnostic_message.h"

namespace skiff::apiserver {
namespace {

using enum GnosticField::Kind;
using Message = GnosticMessage;
using Field = GnosticField;

extern const Message kSchema;

constexpr Field kReferenceFields[] = {{"$ref", 1, kString}};
constexpr Message kJsonReference{Message::kFields, kReferenceFields};

constexpr Field kSchemaPair[] = {{"", 1, kMessage, &kSchema}};
constexpr Message kSchemas{Message::kMap, kSchemaPair};        // Properties, Definitions
constexpr Message kOneSchema{Message::kWrapped, kSchemaPair};  // SchemaItem, ItemsItem, …
constexpr Message kTypeItem{Message::kTypes};

constexpr Field kSchemaFields[] = {
    {"$ref", 1, kString},
    {"format", 2, kString},
    {"description", 4, kString},
    {"required", 19, kStrings},
    {"enum", 20, kAnys},
    {"additionalProperties", 21, kMessage, &kOneSchema},
    {"type", 22, kMessage, &kTypeItem},
    {"items", 23, kMessage, &kOneSchema},
    {"properties", 25, kMessage, &kSchemas},
};
constinit const Message kSchema{Message::kFields, kSchemaFields, 31};

constexpr Field kBodyFields[] = {{"description", 1, kString},
                                 {"name", 2, kString},
                                 {"in", 3, kString},
                                 {"required", 4, kBool},
                                 {"schema", 5, kMessage, &kSchema}};
constexpr Message kBodyParameter{Message::kFields, kBodyFields, 6};
constexpr Field kQueryFields[] = {{"required", 1, kBool},      {"in", 2, kString},
                                  {"description", 3, kString}, {"name", 4, kString},
                                  {"type", 6, kString},        {"uniqueItems", 20, kBool}};
constexpr Message kQueryParameter{Message::kFields, kQueryFields, 23};
constexpr Field kPathFields[] = {{"required", 1, kBool},      {"in", 2, kString},
                                 {"description", 3, kString}, {"name", 4, kString},
                                 {"type", 5, kString},        {"uniqueItems", 19, kBool}};
constexpr Message kPathParameter{Message::kFields, kPathFields, 22};

constexpr Field kNonBodyFields[] = {{"query", 3, kMessage, &kQueryParameter},
                                    {"path", 4, kMessage, &kPathParameter}};
constexpr Message kNonBody{Message::kParameter, kNonBodyFields};
constexpr Field kParameterFields[] = {{"body", 1, kMessage, &kBodyParameter},
                                      {"query", 2, kMessage, &kNonBody},
                                      {"path", 2, kMessage, &kNonBody}};
constexpr Message kParameter{Message::kParameter, kParameterFields};
constexpr Field kParametersItemFields[] = {{"", 1, kMessage, &kParameter},
                                           {"", 2, kMessage, &kJsonReference}};
constexpr Message kParametersItem{Message::kReference, kParametersItemFields};

constexpr Field kResponseFields[] = {{"description", 1, kString},
                                     {"schema", 2, kMessage, &kOneSchema}};
constexpr Message kResponse{Message::kFields, kResponseFields, 5};
constexpr Field kResponseValueFields[] = {{"", 1, kMessage, &kResponse},
                                          {"", 2, kMessage, &kJsonReference}};
constexpr Message kResponseValue{Message::kReference, kResponseValueFields};
constexpr Field kResponsesFields[] = {{"", 1, kMessage, &kResponseValue}};
constexpr Message kResponses{Message::kMap, kResponsesFields};

constexpr Field kOperationFields[] = {
    {"tags", 1, kStrings},
    {"description", 3, kString},
    {"operationId", 5, kString},
    {"produces", 6, kStrings},
    {"consumes", 7, kStrings},
    {"parameters", 8, kMessages, &kParametersItem},
    {"responses", 9, kMessage, &kResponses},
    {"schemes", 10, kStrings},
};
constexpr Message kOperation{Message::kFields, kOperationFields, 13};

constexpr Field kPathItemFields[] = {
    {"get", 2, kMessage, &kOperation},     {"put", 3, kMessage, &kOperation},
    {"post", 4, kMessage, &kOperation},    {"delete", 5, kMessage, &kOperation},
    {"options", 6, kMessage, &kOperation}, {"head", 7, kMessage, &kOperation},
    {"patch", 8, kMessage, &kOperation},   {"parameters", 9, kMessages, &kParametersItem},
};
constexpr Message kPathItem{Message::kFields, kPathItemFields, 10};
constexpr Field kPathsFields[] = {{"", 2, kMessage, &kPathItem}};
constexpr Message kPaths{Message::kMap, kPathsFields};

constexpr Field kInfoFields[] = {{"title", 1, kString}, {"version", 2, kString}};
constexpr Message kInfo{Message::kFields, kInfoFields, 7};

constexpr Field kSharedFields[] = {{"", 1, kMessage, &kParameter}};
constexpr Message kShared{Message::kMap, kSharedFields};

constexpr Field kApiKeyFields[] = {
    {"type", 1, kString}, {"name", 2, kString}, {"in", 3, kString}, {"description", 4, kString}};
constexpr Message kApiKey{Message::kFields, kApiKeyFields, 5};
constexpr Field kSecurityItemFields[] = {{"", 2, kMessage, &kApiKey}};
constexpr Message kSecurityItem{Message::kWrapped, kSecurityItemFields};
constexpr Field kSecurityFields[] = {{"", 1, kMessage, &kSecurityItem}};
constexpr Message kSecurity{Message::kMap, kSecurityFields};
constexpr Message kStringArray{Message::kStrings};
constexpr Field kRequirementFields[] = {{"", 1, kMessage, &kStringArray}};
constexpr Message kRequirement{Message::kMap, kRequirementFields};

constexpr Field kDocumentFields[] = {
    {"swagger", 1, kString},
    {"info", 2, kMessage, &kInfo},
    {"paths", 8, kMessage, &kPaths},
    {"definitions", 9, kMessage, &kSchemas},
    {"parameters", 10, kMessage, &kShared},
    {"security", 12, kMessages, &kRequirement},
    {"securityDefinitions", 13, kMessage, &kSecurity},
};

}  // namespace

constinit const GnosticMessage kGnosticV2Document{Message::kFields, kDocumentFields, 16};

}  // namespace skiff::apiserver
