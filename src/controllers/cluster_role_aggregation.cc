#include "controllers/cluster_role_aggregation.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "object/json/encode.h"
#include "object/selector/label_selector.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

constexpr char kFieldManager[] = "clusterrole-aggregation-controller";
constexpr char kAggregates[] = "aggregates";

using Rules = std::vector<const Value*>;

bool Contains(const Rules& rules, const Value& rule) {
  return std::ranges::any_of(rules, [&](const Value* each) { return DeepEqual(*each, rule); });
}

bool SameRules(const Rules& wanted, const rbac::ClusterRole& role) {
  const auto rules = role.rules();
  if (rules.size() != wanted.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!DeepEqual(*wanted[i], *rules[i].AsValue())) return false;
  }
  return true;
}

// What is applied: the rules and nothing else of the role.
std::string Configuration(std::string_view name, const Rules& rules) {
  std::string text =
      R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":)" +
      JsonText(name) + "}";
  for (size_t i = 0; i < rules.size(); ++i) {
    text += (i == 0 ? ",\"rules\":[" : ",") + EncodeJson(*rules[i]);
  }
  return text + (rules.empty() ? "}" : "]}");
}

class ClusterRoleAggregation final : public QueueController {
 public:
  explicit ClusterRoleAggregation(ControllerContext context)
      : QueueController(std::move(context), {.name = "ClusterRoleAggregator", .workers = 5}),
        roles_(context_.informers.For(BuiltIn("rbac.authorization.k8s.io", "v1", "clusterroles"))) {
    roles_.AddIndex(kAggregates, [](const Document& role) {
      return rbac::ClusterRole(role).has_aggregation_rule() ? std::vector<std::string>{""}
                                                            : std::vector<std::string>();
    });
    // Any role may be part of any other, so that all that are made of others are looked at.
    const auto all = [this] {
      for (const ObjectPtr& role : roles_.ByIndex(kAggregates, "")) queue_.Add(KeyOf(*role));
    };
    queue_.Follow(roles_, {.added = [all](const ObjectPtr&) { all(); },
                           .updated = [all](const ObjectPtr&, const ObjectPtr&) { all(); },
                           .deleted = [all](const ObjectPtr&) { all(); }});
  }

 private:
  // In the order of the selectors, then of names. The rules are those of objects in `roles`.
  static Result<Rules> WantedRules(const rbac::ClusterRole& role,
                                   const std::vector<ObjectPtr>& roles) {
    Rules wanted;
    for (const auto selector_view : role.aggregation_rule().cluster_role_selectors()) {
      SKIFF_ASSIGN_OR_RETURN(const LabelSelector selector,
                             LabelSelector::FromValue(selector_view.AsValue()));
      for (const ObjectPtr& other_document : roles) {
        const rbac::ClusterRole other(*other_document);
        if (other.metadata().name() == role.metadata().name() ||
            !selector.Matches(other_document->root().FindPath({"metadata", "labels"}))) {
          continue;
        }
        for (const auto rule : other.rules()) {
          if (!Contains(wanted, *rule.AsValue())) wanted.push_back(rule.AsValue());
        }
      }
    }
    return wanted;
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const ObjectPtr document = roles_.Find({.name_space = {}, .name = key});
    if (!document) co_return Result<void>();
    const rbac::ClusterRole role(*document);
    if (!role.has_aggregation_rule()) co_return Result<void>();
    const std::vector<ObjectPtr> roles = roles_.List();
    const Result<Rules> wanted = WantedRules(role, roles);
    if (!wanted) co_return std::unexpected(wanted.error());
    if (SameRules(*wanted, role)) co_return Result<void>();

    ClientCall call;
    call.verb = ClientVerb::kPatch;
    call.resource = &roles_.resource();
    call.target.name = key;
    call.patch_type = PatchType::kApply;
    call.patch = Configuration(key, *wanted);
    call.force = true;
    call.field_manager = kFieldManager;
    const Result<ClientReply> applied = co_await context_.client.Send(std::move(call));
    if (!applied) co_return std::unexpected(applied.error());
    co_return Result<void>();
  }

  Informer& roles_;
};

}  // namespace

std::unique_ptr<Controller> MakeClusterRoleAggregationController(ControllerContext context) {
  return std::make_unique<ClusterRoleAggregation>(std::move(context));
}

}  // namespace skiff
