#include "apiserver/registry/flowcontrol/mandatory.h"

#include <string>

#include "apiserver/validation/common.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

struct FixedSpec {
  std::string_view name;
  std::string_view json;  // of an object with this spec
};

constexpr FixedSpec kFlowSchemas[] = {
    {"exempt", R"({"spec":{"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":1,
      "rules":[{"subjects":[{"kind":"Group","group":{"name":"system:masters"}}],
        "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,
                          "namespaces":["*"]}],
        "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}})"},
    {"catch-all", R"({"spec":{"priorityLevelConfiguration":{"name":"catch-all"},
      "matchingPrecedence":10000,"distinguisherMethod":{"type":"ByUser"},
      "rules":[{"subjects":[{"kind":"Group","group":{"name":"system:unauthenticated"}},
                            {"kind":"Group","group":{"name":"system:authenticated"}}],
        "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,
                          "namespaces":["*"]}],
        "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}})"}};
constexpr FixedSpec kPriorityLevels[] = {
    {"exempt", R"({"spec":{"type":"Exempt"}})"},
    {"catch-all", R"({"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5,
      "lendablePercent":0,"limitResponse":{"type":"Reject"}}}})"}};

void ValidateFixed(std::span<const FixedSpec> fixed, std::string_view except,
                   const object::Document& object, FieldErrors& errors) {
  const object::Value* name = object.root().FindPath({"metadata", "name"});
  if (name == nullptr) return;
  for (const FixedSpec& each : fixed) {
    if (each.name != name->AsText()) continue;
    const Result<object::Document> wanted = object::DecodeJson(each.json, object.type());
    object::Document given = object.Copy();
    if (object::Value* spec = given.root().Find("spec"); spec != nullptr && !except.empty()) {
      spec->Erase(except);
    }
    const object::Value& given_root = given.root();
    if (wanted && SameValue(wanted->root().Find("spec"), given_root.Find("spec"))) return;
    errors.Invalid("spec", object.root().Find("spec"),
                   "spec of '" + std::string(each.name) + "'" +
                       (except.empty() ? "" : " except the 'spec.exempt' field") +
                       " must equal the fixed value");
  }
}

}  // namespace

void ValidateMandatoryFlowSchema(const object::Document& object, FieldErrors& errors) {
  ValidateFixed(kFlowSchemas, "", object, errors);
}

void ValidateMandatoryPriorityLevel(const object::Document& object, FieldErrors& errors) {
  const object::Value* name = object.root().FindPath({"metadata", "name"});
  const bool is_exempt = name != nullptr && name->AsText() == kExemptName;
  ValidateFixed(kPriorityLevels, is_exempt ? "exempt" : "", object, errors);
}

}  // namespace skiff::apiserver
