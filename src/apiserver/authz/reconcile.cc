#include "apiserver/authz/reconcile.h"

#include <algorithm>
#include <map>
#include <memory>

#include "apiserver/authz/bootstrap_policy.h"
#include "apiserver/authz/policy_rule.h"
#include "object/equal.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

constexpr char kAutoUpdate[] = "rbac.authorization.kubernetes.io/autoupdate";
constexpr int kMaxAttempts = 3;

struct Rename {
  std::string_view from;
  std::string_view to;
};
constexpr Rename kAggregated[] = {{"admin", "system:aggregate-to-admin"},
                                  {"edit", "system:aggregate-to-edit"},
                                  {"view", "system:aggregate-to-view"}};
constexpr Rename kSplitBinding = {"system:discovery", "system:public-info-viewer"};

std::string_view MetadataText(const object::Document& object, std::string_view name) {
  const object::Value* found = object.root().FindPath({"metadata", name});
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

bool IsProtected(const object::Document& object) {
  const object::Value* value = object.root().FindPath({"metadata", "annotations", kAutoUpdate});
  return value != nullptr && value->is_string() && value->AsText() == "false";
}

// Adds the entries whose keys are missing. True if there were some.
bool AddMissingEntries(object::Document& object, const object::Document& expected,
                       std::string_view map) {
  const object::Value* wanted = expected.root().FindPath({"metadata", map});
  object::Value* metadata = object.root().Find("metadata");
  if (wanted == nullptr || metadata == nullptr) return false;
  bool added = false;
  for (const object::MapEntry& entry : wanted->entries()) {
    object::Value* entries = metadata->Find(map);
    if (entries == nullptr) {
      entries = &metadata->Set(object.arena(), map, object::Value::EmptyMap());
    }
    if (entries->Find(entry.key) != nullptr) continue;
    entries->SetEntry(object.arena(), entry.key, entry.value.CopyInto(object.arena()));
    added = true;
  }
  return added;
}

// Appends the items of the expected list that the object's has not got. True if there were some.
bool AddMissingItems(object::Value& owner, Arena& arena, const object::Value* wanted,
                     std::string_view list) {
  if (wanted == nullptr) return false;
  bool added = false;
  for (const object::Value& item : wanted->items()) {
    object::Value* items = owner.Find(list);
    if (items == nullptr) items = &owner.Set(arena, list, object::Value::EmptyList());
    const auto all = items->items();
    if (std::any_of(all.begin(), all.end(),
                    [&](const object::Value& each) { return object::DeepEqual(each, item); })) {
      continue;
    }
    items->Append(arena, item.CopyInto(arena));
    added = true;
  }
  return added;
}

void SetStrings(object::Value& rule, Arena& arena, std::string_view field,
                const std::vector<std::string>& items) {
  if (items.empty()) return;
  object::Value list = object::Value::EmptyList();
  for (const std::string& item : items) list.Append(arena, object::Value::String(arena.Copy(item)));
  rule.Set(arena, field, list);
}

object::Value ToValue(Arena& arena, const PolicyRule& rule) {
  object::Value value = object::Value::EmptyObject(arena, rbac::PolicyRule::Type());
  SetStrings(value, arena, "verbs", rule.verbs);
  SetStrings(value, arena, "apiGroups", rule.api_groups);
  SetStrings(value, arena, "resources", rule.resources);
  SetStrings(value, arena, "resourceNames", rule.resource_names);
  SetStrings(value, arena, "nonResourceURLs", rule.non_resource_urls);
  return value;
}

bool AddMissingRules(object::Document& role, const object::Document& expected) {
  const auto held = ReadPolicyRules(role.root().Find("rules"));
  const auto wanted = ReadPolicyRules(expected.root().Find("rules"));
  const std::vector<PolicyRule> missing = UncoveredRules(held, wanted);
  if (missing.empty()) return false;
  object::Value* rules = role.root().Find("rules");
  if (rules == nullptr) rules = &role.root().Set(role.arena(), "rules", object::Value::EmptyList());
  for (const PolicyRule& rule : missing) rules->Append(role.arena(), ToValue(role.arena(), rule));
  return true;
}

bool ReconcileAggregation(object::Document& role, const object::Document& expected) {
  if (role.type() != rbac::ClusterRole::Type()) return false;
  const object::Value* wanted = expected.root().Find("aggregationRule");
  if (wanted == nullptr) return role.root().Erase("aggregationRule");
  const object::Value* selectors = wanted->Find("clusterRoleSelectors");
  if (selectors == nullptr || selectors->size() == 0) return false;
  object::Value& rule = rbac::MutableClusterRole(role).mutable_aggregation_rule().AsValue();
  return AddMissingItems(rule, role.arena(), selectors, "clusterRoleSelectors");
}

bool IsRole(const object::Document& object) { return object.root().type()->name.ends_with("Role"); }

// Kind, namespace and name.
std::string KeyOf(const object::Document& object) {
  return std::string(object.root().type()->name) + "/" +
         std::string(MetadataText(object, "namespace")) + "/" +
         std::string(MetadataText(object, "name"));
}

using ObjectMap = std::map<std::string, const object::Document*>;

const object::Document* Find(const ObjectMap& objects, std::string_view kind,
                             std::string_view name) {
  const auto found = objects.find(std::string(kind) + "//" + std::string(name));
  return found != objects.end() ? found->second : nullptr;
}

// A new object of this name with what `source` has.
object::Document CopyAs(const object::Document& source, std::string_view name) {
  object::Document copy = source.Copy();
  object::Value fresh =
      object::Value::EmptyObject(copy.arena(), views::meta_v1::ObjectMeta::Type());
  for (const char* map : {"labels", "annotations"}) {
    if (const object::Value* entries = copy.root().FindPath({"metadata", map})) {
      fresh.Set(copy.arena(), map, *entries);
    }
  }
  fresh.Set(copy.arena(), "name", object::Value::String(copy.arena().Copy(name)));
  copy.root().Set(copy.arena(), "metadata", fresh);
  return copy;
}

// Objects that are about to be expected for the first time, with what their predecessors hold.
std::vector<object::Document> Inherited(const ObjectMap& objects) {
  std::vector<object::Document> inherited;
  for (const Rename& rename : kAggregated) {
    const object::Document* from = Find(objects, "ClusterRole", rename.from);
    if (from == nullptr || Find(objects, "ClusterRole", rename.to) != nullptr) continue;
    if (from->root().Find("aggregationRule") != nullptr) break;
    inherited.push_back(CopyAs(*from, rename.to));
  }
  const object::Document* from = Find(objects, "ClusterRoleBinding", kSplitBinding.from);
  if (from != nullptr && Find(objects, "ClusterRoleBinding", kSplitBinding.to) == nullptr) {
    inherited.push_back(CopyAs(*from, kSplitBinding.to));
    rbac::MutableClusterRoleBinding(inherited.back()).mutable_role_ref().set_name(kSplitBinding.to);
  }
  return inherited;
}

void PlanOne(const object::Document& existing, object::Document expected, bool is_new,
             RbacPlan& plan) {
  if (IsRole(expected)) {
    auto role = ReconcileRole(existing, expected);
    if (is_new) {
      plan.create.push_back(role ? std::move(*role) : existing.Copy());
    } else if (role) {
      plan.update.push_back(std::move(*role));
    }
    return;
  }
  auto result = ReconcileBinding(existing, expected);
  if (is_new) {
    plan.create.push_back(result ? std::move(result->binding) : existing.Copy());
  } else if (result && result->recreate) {
    plan.recreate.push_back(
        {std::move(result->binding), std::string(MetadataText(existing, "uid"))});
  } else if (result) {
    plan.update.push_back(std::move(result->binding));
  }
}

struct BootstrapRun {
  RbacObjects& objects;
  std::move_only_function<void(Result<void>)> done;
  int attempts = 0;
};

bool IsRace(const Status& status) {
  return status.reason() == StatusReason::kConflict ||
         status.reason() == StatusReason::kAlreadyExists ||
         status.reason() == StatusReason::kNotFound;
}

void Attempt(std::shared_ptr<BootstrapRun> run) {
  ++run->attempts;
  run->objects.List([run](Result<std::vector<object::Document>> existing) {
    if (!existing) {
      run->done(std::unexpected(std::move(existing).error()));
      return;
    }
    RbacPlan plan = PlanRbac(*existing, BootstrapObjects());
    if (plan.empty()) {
      run->done({});
      return;
    }
    run->objects.Write(std::move(plan), [run](Result<void> written) {
      if (!written && IsRace(written.error()) && run->attempts < kMaxAttempts) {
        Attempt(run);
      } else {
        run->done(std::move(written));
      }
    });
  });
}

}  // namespace

std::optional<object::Document> ReconcileRole(const object::Document& existing,
                                              const object::Document& expected) {
  if (IsProtected(existing)) return std::nullopt;
  object::Document role = existing.Copy();
  bool changed = AddMissingEntries(role, expected, "annotations");
  changed |= AddMissingEntries(role, expected, "labels");
  changed |= AddMissingRules(role, expected);
  changed |= ReconcileAggregation(role, expected);
  if (!changed) return std::nullopt;
  return role;
}

std::optional<ReconciledBinding> ReconcileBinding(const object::Document& existing,
                                                  const object::Document& expected) {
  if (IsProtected(existing)) return std::nullopt;
  const object::Value* held = existing.root().Find("roleRef");
  const object::Value* wanted = expected.root().Find("roleRef");
  if (held == nullptr || !object::DeepEqual(*held, *wanted)) {
    return ReconciledBinding{expected.Copy(), true};
  }
  object::Document binding = existing.Copy();
  bool changed = AddMissingEntries(binding, expected, "annotations");
  changed |= AddMissingEntries(binding, expected, "labels");
  changed |= AddMissingItems(binding.root(), binding.arena(), expected.root().Find("subjects"),
                             "subjects");
  if (!changed) return std::nullopt;
  return ReconciledBinding{std::move(binding), false};
}

RbacPlan PlanRbac(std::span<const object::Document> existing,
                  std::vector<object::Document> expected) {
  ObjectMap objects;
  for (const object::Document& object : existing) {
    if (object.type() != nullptr) objects.emplace(KeyOf(object), &object);
  }
  const std::vector<object::Document> inherited = Inherited(objects);
  ObjectMap heirs;
  for (const object::Document& object : inherited) heirs.emplace(KeyOf(object), &object);
  RbacPlan plan;
  for (object::Document& object : expected) {
    const std::string key = KeyOf(object);
    if (const auto found = objects.find(key); found != objects.end()) {
      PlanOne(*found->second, std::move(object), false, plan);
    } else if (const auto heir = heirs.find(key); heir != heirs.end()) {
      PlanOne(*heir->second, std::move(object), true, plan);
    } else {
      const std::string name_space(MetadataText(object, "namespace"));
      auto& namespaces = plan.namespaces;
      if (!name_space.empty() &&
          std::find(namespaces.begin(), namespaces.end(), name_space) == namespaces.end()) {
        namespaces.push_back(name_space);
      }
      plan.create.push_back(std::move(object));
    }
  }
  return plan;
}

void EnsureBootstrapPolicy(RbacObjects& objects, std::move_only_function<void(Result<void>)> done) {
  Attempt(std::make_shared<BootstrapRun>(BootstrapRun{objects, std::move(done)}));
}

}  // namespace skiff::apiserver
