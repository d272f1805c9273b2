// What the expressions of a ValidatingAdmissionPolicy get wrong about the types of what they look
// at. The API server accepts such a policy, since it may be about kinds that do not exist yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/schema_types.h"
#include "object/value.h"

namespace skiff::controllers {

// More types than these of one rule are not looked at.
inline constexpr size_t kMaxTypesOfRule = 10;

// A resource that a rule of the policy names, without wildcards.
struct RuleResource {
  std::string group;
  std::string version;
  std::string resource;
};
std::vector<RuleResource> RuleResources(const object::Value& policy);

struct CheckedKind {
  std::string group;
  std::string version;
  std::string kind;
  cel::Schema schema;
  bool is_custom = false;  // it has metadata, whatever the schema says
};
// Of a built-in resource. False: there is no such.
bool FindBuiltInKind(const RuleResource& resource, CheckedKind& out);

struct ExpressionWarning {
  std::string field_ref;
  std::string warning;
};
// Of expressions and message expressions, each checked against every kind, in order of group,
// version and kind.
std::vector<ExpressionWarning> CheckPolicyTypes(const object::Value& policy,
                                                std::vector<CheckedKind> kinds);

}  // namespace skiff::controllers
