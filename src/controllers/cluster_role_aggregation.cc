#include "controllers/cluster_role_aggregation.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "object/json/encode.h"
#include "object/selector/label_selector.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::controllers {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

constexpr char kFieldManager[] = "clusterrole-aggregation-controller";
constexpr char kAggregates[] = "aggregates";

using Rules = std::vector<const object::Value*>;

bool Contains(const Rules& rules, const object::Value& rule) {
  return std::ranges::any_of(
      rules, [&](const object::Value* each) { return object::DeepEqual(*each, rule); });
}

bool SameRules(const Rules& wanted, const rbac::ClusterRole& role) {
  const auto rules = role.rules();
  if (rules.size() != wanted.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!object::DeepEqual(*wanted[i], *rules[i].AsValue())) return false;
  }
  return true;
}

// What is applied: the rules and nothing else of the role.
std::string Configuration(std::string_view name, const Rules& rules) {
  std::string text =
      R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":)" +
      object::JsonText(name) + "}";
  for (size_t i = 0; i < rules.size(); ++i) {
    text += (i == 0 ? ",\"rules\":[" : ",") + object::EncodeJson(*rules[i]);
  }
  return text + (rules.empty() ? "}" : "]}");
}

class ClusterRoleAggregation final : public QueueController {
 public:
  explicit ClusterRoleAggregation(ControllerContext context)
      : QueueController(std::move(context), {.name = "ClusterRoleAggregator", .workers = 5}),
        roles_(context_.informers.For(
            client::BuiltIn("rbac.authorization.k8s.io", "v1", "clusterroles"))) {
    roles_.AddIndex(kAggregates, [](const object::Document& role) {
      return rbac::ClusterRole(role).has_aggregation_rule() ? std::vector<std::string>{""}
                                                            : std::vector<std::string>();
    });
    // Any role may be part of any other, so that all that are made of others are looked at.
    const auto all = [this] {
      for (const client::ObjectPtr& role : roles_.ByIndex(kAggregates, ""))
        queue_.Add(KeyOf(*role));
    };
    queue_.Follow(roles_,
                  {.added = [all](const client::ObjectPtr&) { all(); },
                   .updated = [all](const client::ObjectPtr&, const client::ObjectPtr&) { all(); },
                   .deleted = [all](const client::ObjectPtr&) { all(); }});
  }

 private:
  // In the order of the selectors, then of names. The rules are those of objects in `roles`.
  static Result<Rules> WantedRules(const rbac::ClusterRole& role,
                                   const std::vector<client::ObjectPtr>& roles) {
    Rules wanted;
    for (const auto selector_view : role.aggregation_rule().cluster_role_selectors()) {
      SKIFF_ASSIGN_OR_RETURN(const object::LabelSelector selector,
                             object::LabelSelector::FromValue(selector_view.AsValue()));
      for (const client::ObjectPtr& other_document : roles) {
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
    const client::ObjectPtr document = roles_.Find({.name_space = {}, .name = key});
    if (!document) co_return Result<void>();
    const rbac::ClusterRole role(*document);
    if (!role.has_aggregation_rule()) co_return Result<void>();
    const std::vector<client::ObjectPtr> roles = roles_.List();
    const Result<Rules> wanted = WantedRules(role, roles);
    if (!wanted) co_return std::unexpected(wanted.error());
    if (SameRules(*wanted, role)) co_return Result<void>();

    client::ClientCall call;
    call.verb = client::ClientVerb::kPatch;
    call.resource = &roles_.resource();
    call.target.name = key;
    call.patch_type = client::PatchType::kApply;
    call.patch = Configuration(key, *wanted);
    call.force = true;
    call.field_manager = kFieldManager;
    const Result<client::ClientReply> applied = co_await context_.client.Send(std::move(call));
    if (!applied) co_return std::unexpected(applied.error());
    co_return Result<void>();
  }

  client::Informer& roles_;
};

}  // namespace

std::unique_ptr<Controller> MakeClusterRoleAggregationController(ControllerContext context) {
  return std::make_unique<ClusterRoleAggregation>(std::move(context));
}

}  // namespace skiff::controllers
