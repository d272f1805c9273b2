#include "apiserver/flowcontrol/flow_matcher.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/limits.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace flow = views::flowcontrol_apiserver_k8s_io_v1;

constexpr std::string_view kAll = "*";
constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

// Names of which one is to be met, or all.
class Names {
 public:
  explicit Names(const object::ListView<std::string_view>& names) {
    for (const std::string_view each : names) names_.emplace_back(each);
  }
  bool Has(std::string_view name) const {
    if (names_.size() == 1 && names_[0] == kAll) return true;
    return std::ranges::find(names_, name) != names_.end();
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
};

struct FlowSubject {
  enum class Kind : uint8_t { kUser, kGroup, kServiceAccount };
  Kind kind;
  std::string name_space;
  std::string name;

  bool Fits(const serving::UserInfo& user) const {
    switch (kind) {
      case Kind::kUser:
        return name == kAll || name == user.name;
      case Kind::kGroup:
        return name == kAll || user.IsIn(name);
      case Kind::kServiceAccount:
        break;
    }
    std::string_view rest = user.name;
    if (!rest.starts_with(kServiceAccountPrefix)) return false;
    rest.remove_prefix(kServiceAccountPrefix.size());
    if (!rest.starts_with(name_space)) return false;
    rest.remove_prefix(name_space.size());
    return rest.starts_with(':') && (name == kAll || rest.substr(1) == name);
  }
};

struct ResourceRule {
  Names verbs;
  Names groups;
  Names resources;
  Names name_spaces;
  bool cluster_scope;

  bool Fits(const serving::RequestInfo& info, std::string_view resource) const {
    if (!verbs.Has(info.verb) || !resources.Has(resource) || !groups.Has(info.group)) return false;
    return info.name_space.empty() ? cluster_scope : name_spaces.Has(info.name_space);
  }
};

struct PathRule {
  Names verbs;
  Names paths;

  bool Fits(const serving::RequestInfo& info) const {
    return verbs.Has(info.verb) && std::ranges::any_of(paths.all(), [&](const std::string& path) {
             return PathFits(path, info.path);
           });
  }
  // A path stands for all that is below it, with an asterisk at its end or without.
  static bool PathFits(std::string_view rule, std::string_view path) {
    if (rule == kAll || rule == path) return true;
    if (rule.ends_with('*')) rule.remove_suffix(1);
    if (!path.starts_with(rule)) return false;
    return rule.ends_with('/') || path.substr(rule.size()).starts_with('/');
  }
};

void AddSubject(const flow::Subject& subject, std::vector<FlowSubject>& out) {
  using Kind = FlowSubject::Kind;
  if (subject.kind() == "User" && subject.has_user()) {
    out.push_back({Kind::kUser, {}, std::string(subject.user().name())});
  } else if (subject.kind() == "Group" && subject.has_group()) {
    out.push_back({Kind::kGroup, {}, std::string(subject.group().name())});
  } else if (subject.kind() == "ServiceAccount" && subject.has_service_account()) {
    const auto account = subject.service_account();
    out.push_back(
        {Kind::kServiceAccount, std::string(account.namespace_()), std::string(account.name())});
  }
}

}  // namespace

struct FlowMatcher::Rule {
  std::vector<FlowSubject> subjects = {};
  std::vector<ResourceRule> resources = {};
  std::vector<PathRule> paths = {};

  explicit Rule(const flow::PolicyRulesWithSubjects& rule) {
    for (const flow::Subject each : rule.subjects()) AddSubject(each, subjects);
    for (const flow::ResourcePolicyRule each : rule.resource_rules()) {
      resources.push_back({Names(each.verbs()), Names(each.api_groups()), Names(each.resources()),
                           Names(each.namespaces()), each.cluster_scope()});
    }
    for (const flow::NonResourcePolicyRule each : rule.non_resource_rules()) {
      paths.push_back({Names(each.verbs()), Names(each.non_resource_urls())});
    }
  }

  bool Fits(const serving::UserInfo& user, const serving::RequestInfo& info,
            std::string_view resource) const {
    if (std::ranges::none_of(subjects, [&](const auto& each) { return each.Fits(user); })) {
      return false;
    }
    if (!info.is_resource) {
      return std::ranges::any_of(paths, [&](const auto& each) { return each.Fits(info); });
    }
    return std::ranges::any_of(resources,
                               [&](const auto& each) { return each.Fits(info, resource); });
  }
};

struct FlowMatcher::Schema {
  int64_t precedence = 0;
  FlowClass found = {};
  std::vector<Rule> rules = {};
};

FlowMatcher::FlowMatcher(std::span<const object::Document> schemas,
                         std::span<const object::Document> levels) {
  std::map<std::string, std::string, std::less<>> level_uids;
  for (const object::Document& each : levels) {
    const flow::PriorityLevelConfiguration level(each);
    level_uids.emplace(level.metadata().name(), level.metadata().uid());
  }
  for (const object::Document& each : schemas) {
    if (schemas_.size() == limits::kMaxFlowSchemas) break;
    const flow::FlowSchema schema(each);
    const auto level = level_uids.find(schema.spec().priority_level_configuration().name());
    if (level == level_uids.end()) continue;
    Schema& made = schemas_.emplace_back();
    made.precedence = schema.spec().matching_precedence();
    made.found = {std::string(schema.metadata().name()), level->first,
                  std::string(schema.metadata().uid()), level->second};
    for (const flow::PolicyRulesWithSubjects rule : schema.spec().rules()) {
      made.rules.emplace_back(rule);
    }
  }
  std::ranges::sort(schemas_, [](const Schema& a, const Schema& b) {
    return std::tie(a.precedence, a.found.schema) < std::tie(b.precedence, b.found.schema);
  });
  for (const Schema& each : schemas_) {
    if (each.found.schema == "catch-all") catch_all_ = &each.found;
    if (each.found.schema == "exempt") exempt_ = true;
  }
}

FlowMatcher::~FlowMatcher() = default;

const FlowClass* FlowMatcher::Match(const serving::UserInfo& user,
                                    const serving::RequestInfo& info) const {
  std::string joined;
  if (!info.subresource.empty()) joined = info.resource + "/" + info.subresource;
  const std::string_view resource = joined.empty() ? info.resource : joined;
  for (const Schema& schema : schemas_) {
    for (const Rule& rule : schema.rules) {
      if (rule.Fits(user, info, resource)) return &schema.found;
    }
  }
  return catch_all_;
}

}  // namespace skiff::apiserver
