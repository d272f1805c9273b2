#include "apiserver/registry/flowcontrol/flow_schema.h"

#include <algorithm>
#include <string>

#include "apiserver/registry/flowcontrol/mandatory.h"
#include "apiserver/registry/flowcontrol/status_conditions.h"
#include "apiserver/validation/common.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace flow = views::flowcontrol_apiserver_k8s_io_v1;

constexpr int32_t kMaxPrecedence = 10'000;
constexpr std::string_view kVerbs[] = {"create", "delete", "deletecollection", "get",  "list",
                                       "patch",  "proxy",  "update",           "watch"};

bool HasWildcard(const object::ListView<std::string_view>& list) {
  return std::find(list.begin(), list.end(), "*") != list.end();
}

const object::Value* Field(const object::View& view, std::string_view name) {
  return view.AsValue() != nullptr ? view.AsValue()->Find(name) : nullptr;
}

// What messages say of a list.
struct ListWords {
  std::string_view field;
  std::string_view if_empty;
  std::string_view others;
};

// A list that names something, or everything and then nothing else.
bool ValidateListOrAll(const object::ListView<std::string_view>& list, const object::View& rule,
                       const ListWords& words, FieldErrors& errors) {
  if (list.empty()) {
    errors.Required(words.field, words.if_empty);
    return false;
  }
  if (!HasWildcard(list)) return true;
  if (list.size() > 1) {
    errors.Invalid(words.field, Field(rule, words.field),
                   "if '*' is present, must not specify other " + std::string(words.others));
  }
  return false;
}

void ValidateVerbs(const object::ListView<std::string_view>& verbs, const object::View& rule,
                   FieldErrors& errors) {
  constexpr ListWords kWords{"verbs", "verbs must contain at least one value", "verbs"};
  if (!ValidateListOrAll(verbs, rule, kWords, errors)) return;
  const bool known = std::all_of(verbs.begin(), verbs.end(), [](std::string_view verb) {
    return std::ranges::find(kVerbs, verb) != std::end(kVerbs);
  });
  if (!known) errors.NotSupported("verbs", Field(rule, "verbs"), kVerbs);
}

void ValidateResourceRule(const flow::ResourcePolicyRule& rule, FieldErrors& errors) {
  ValidateVerbs(rule.verbs(), rule, errors);
  ValidateListOrAll(
      rule.api_groups(), rule,
      {"apiGroups", "resource rules must supply at least one api group", "api groups"}, errors);
  ValidateListOrAll(rule.resources(), rule,
                    {"resources", "resource rules must supply at least one resource", "resources"},
                    errors);
  const auto namespaces = rule.namespaces();
  if (namespaces.empty() && rule.cluster_scope()) return;
  constexpr ListWords kNamespaces{
      "namespaces", "resource rules that are not cluster scoped must supply at least one namespace",
      "namespaces"};
  if (!ValidateListOrAll(namespaces, rule, kNamespaces, errors)) return;
  for (size_t i = 0; i < namespaces.size(); ++i) {
    const auto at = errors.At("namespaces", i);
    for (const std::string& problem : object::CheckDns1123Label(namespaces[i])) {
      errors.Invalid("", namespaces[i],
                     "each member of this list must be '*' or a DNS-1123 label; " + problem);
    }
  }
}

std::string_view ProblemOfUrl(std::string_view path) {
  if (path.empty()) return "must not be empty";
  if (path == "/") return {};
  if (!path.starts_with('/')) return "must start with slash";
  if (path.find(' ') != std::string_view::npos) return "must not contain white-space";
  if (path.find("//") != std::string_view::npos) return "must not contain double slash";
  const auto wildcards = std::ranges::count(path, '*');
  if (wildcards > 1 || (wildcards == 1 && !path.ends_with("/*"))) {
    return "wildcard can only do suffix matching";
  }
  return {};
}

void ValidateNonResourceRule(const flow::NonResourcePolicyRule& rule, FieldErrors& errors) {
  ValidateVerbs(rule.verbs(), rule, errors);
  const auto urls = rule.non_resource_urls();
  constexpr ListWords kWords{"nonResourceURLs", "nonResourceURLs must contain at least one value",
                             "non-resource URLs"};
  if (!ValidateListOrAll(urls, rule, kWords, errors)) return;
  for (size_t i = 0; i < urls.size(); ++i) {
    const std::string_view problem = ProblemOfUrl(urls[i]);
    const auto at = errors.At("nonResourceURLs", i);
    if (!problem.empty()) errors.Invalid("", urls[i], problem);
  }
}

void ValidateServiceAccount(const flow::ServiceAccountSubject& account, FieldErrors& errors) {
  const auto at = errors.At("serviceAccount");
  if (account.name().empty()) {
    errors.Required("name");
  } else if (account.name() != "*") {
    ValidateFormat(kDnsSubdomainFormat, account.name(), "name", errors);
  }
  if (account.namespace_().empty()) {
    errors.Required("namespace", "must specify namespace for service account");
  } else {
    ValidateFormat(kDnsLabelFormat, account.namespace_(), "namespace", errors);
  }
}

void ValidateSubject(const flow::Subject& subject, FieldErrors& errors) {
  struct Choice {
    std::string_view kind;
    std::string_view field;
    bool present;
  };
  const Choice account{"ServiceAccount", "serviceAccount", subject.has_service_account()};
  const Choice user{"User", "user", subject.has_user()};
  const Choice group{"Group", "group", subject.has_group()};
  bool known = false;
  for (const Choice& each : {account, user, group}) {
    if (each.kind != subject.kind()) continue;
    known = true;
    if (!each.present) {
      errors.Required(each.field, std::string(each.field) + " is required when subject kind is '" +
                                      std::string(each.kind) + "'");
    } else if (each.kind == "ServiceAccount") {
      ValidateServiceAccount(subject.service_account(), errors);
    } else if (each.kind == "User") {
      ValidateRequired(subject.user().name(), "user.name", errors);
    } else {
      ValidateRequired(subject.group().name(), "group.name", errors);
    }
  }
  if (!known) {
    return errors.NotSupported("kind", subject.kind(), {"Group", "ServiceAccount", "User"});
  }
  for (const Choice& each : {account, user, group}) {
    if (each.kind == subject.kind() || !each.present) continue;
    errors.Forbidden(each.field, std::string(each.field) +
                                     " is forbidden when subject kind is not '" +
                                     std::string(each.kind) + "'");
  }
}

void ValidateRule(const flow::PolicyRulesWithSubjects& rule, FieldErrors& errors) {
  const auto subjects = rule.subjects();
  if (subjects.empty()) {
    errors.Required("subjects", "subjects must contain at least one value");
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    const auto at = errors.At("subjects", i);
    ValidateSubject(subjects[i], errors);
  }
  const auto resource_rules = rule.resource_rules();
  const auto other_rules = rule.non_resource_rules();
  if (resource_rules.empty() && other_rules.empty()) {
    errors.Required("", "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (size_t i = 0; i < resource_rules.size(); ++i) {
    const auto at = errors.At("resourceRules", i);
    ValidateResourceRule(resource_rules[i], errors);
  }
  for (size_t i = 0; i < other_rules.size(); ++i) {
    const auto at = errors.At("nonResourceRules", i);
    ValidateNonResourceRule(other_rules[i], errors);
  }
}

void ValidateSpec(const flow::FlowSchemaSpec& spec, std::string_view name, FieldErrors& errors) {
  const auto at = errors.At("spec");
  const int32_t precedence = spec.matching_precedence();
  if (precedence <= 0) errors.Invalid("matchingPrecedence", precedence, "must be a positive value");
  if (precedence > kMaxPrecedence) {
    errors.Invalid("matchingPrecedence", precedence, "must not be greater than 10000");
  }
  if (precedence == 1 && name != kExemptName) {
    errors.Invalid("matchingPrecedence", precedence,
                   "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (spec.has_distinguisher_method()) {
    const std::string_view type = spec.distinguisher_method().type();
    if (type != "ByNamespace" && type != "ByUser") {
      errors.NotSupported("distinguisherMethod.type", spec.distinguisher_method().AsValue(),
                          {"ByNamespace", "ByUser"});
    }
  }
  const std::string_view level = spec.priority_level_configuration().name();
  if (level.empty()) {
    errors.Required("priorityLevelConfiguration.name", "must reference a priority level");
  } else {
    ValidateFormat(kDnsSubdomainFormat, level, "priorityLevelConfiguration.name", errors);
  }
  const auto rules = spec.rules();
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at_rule = errors.At("rules", i);
    ValidateRule(rules[i], errors);
  }
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  ValidateStatusConditions(object, errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const flow::FlowSchema schema(object);
  ValidateSpec(schema.spec(), schema.metadata().name(), errors);
  ValidateMandatoryFlowSchema(object, errors);
  ValidateStatusConditions(object, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document&, FieldErrors& errors) {
  ValidateCreate(object, errors);
}

}  // namespace

const KindRules kFlowSchemaRules = {.group = "flowcontrol.apiserver.k8s.io",
                                    .kind = "FlowSchema",
                                    .create = ValidateCreate,
                                    .update = ValidateUpdate,
                                    .status = ValidateStatus};

}  // namespace skiff::apiserver
