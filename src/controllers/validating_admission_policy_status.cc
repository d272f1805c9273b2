#include "controllers/validating_admission_policy_status.h"

#include <string>
#include <utility>
#include <vector>

#include "controllers/objects.h"
#include "controllers/policy_type_check.h"
#include "controllers/queue_controller.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/json_text.h"

namespace skiff::controllers {
namespace {

constexpr char kManager[] = "validatingadmissionpolicy-status";

int64_t IntAt(const object::Document& object, std::initializer_list<std::string_view> path) {
  const object::Value* found = object.root().FindPath(path);
  return found != nullptr && found->tag() == object::Tag::kInt ? found->AsInt() : 0;
}

// The configuration that says what was found.
std::string StatusJson(const object::Document& policy,
                       const std::vector<ExpressionWarning>& warnings) {
  std::string list;
  for (const ExpressionWarning& each : warnings) {
    list += (list.empty() ? "" : ",") + ("{\"fieldRef\":" + object::JsonText(each.field_ref)) +
            ",\"warning\":" + object::JsonText(each.warning) + "}";
  }
  return R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",)"
         R"("metadata":{"name":)" +
         object::JsonText(client::NameOf(policy).name) + R"(},"status":{"observedGeneration":)" +
         std::to_string(IntAt(policy, {"metadata", "generation"})) + R"(,"typeChecking":{)" +
         (list.empty() ? "" : R"("expressionWarnings":[)" + list + "]") + "}}}";
}

// The schema that a definition has for a version that it serves.
bool FindCustomKind(const object::Document& definition, const RuleResource& resource,
                    CheckedKind& out) {
  const object::Value* spec = definition.root().Find("spec");
  const object::Value* kind = definition.root().FindPath({"spec", "names", "kind"});
  const object::Value* versions = spec == nullptr ? nullptr : spec->Find("versions");
  if (kind == nullptr || versions == nullptr || !versions->is_list()) return false;
  for (const object::Value& version : versions->items()) {
    const object::Value* name = version.Find("name");
    if (name == nullptr || name->AsText() != resource.version) continue;
    const object::Value* schema = version.FindPath({"schema", "openAPIV3Schema"});
    if (schema == nullptr) return false;
    const Result<object::Document> untyped =
        object::DecodeJson(object::EncodeJson(*schema), nullptr);
    if (!untyped) return false;
    out = {resource.group, resource.version, std::string(kind->AsText()),
           cel::ReadSchema(untyped->root()), /*is_custom=*/true};
    return true;
  }
  return false;
}

class PolicyStatus final : public QueueController {
 public:
  explicit PolicyStatus(ControllerContext context)
      : QueueController(std::move(context), {.name = kManager, .workers = 5}),
        policies_(context_.informers.For(
            client::BuiltIn("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies"))) {
    queue_.FollowKeys(policies_);
  }

 private:
  // Resources that nobody knows are passed over.
  Task<Result<std::vector<CheckedKind>>> KindsOf(client::ObjectPtr policy) {
    std::vector<CheckedKind> out;
    for (const RuleResource& resource : RuleResources(policy->root())) {
      CheckedKind kind;
      if (FindBuiltInKind(resource, kind)) {
        out.push_back(std::move(kind));
        continue;
      }
      if (resource.group.find('.') == std::string::npos) continue;
      client::ObjectName name{.name_space = {}, .name = resource.resource + "." + resource.group};
      const Result<client::ObjectPtr> definition = co_await context_.client.Get(
          client::BuiltIn("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
          std::move(name));
      // The role that Kubernetes gives this loop lets it read no definitions; whoever wants custom
      // kinds checked adds that.
      const bool is_unknown = FailedWith(definition, StatusReason::kNotFound) ||
                              FailedWith(definition, StatusReason::kForbidden);
      if (!definition && !is_unknown) {
        co_return std::unexpected(definition.error());
      }
      if (definition && FindCustomKind(**definition, resource, kind))
        out.push_back(std::move(kind));
    }
    co_return out;
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectPtr policy = policies_.Find({.name_space = {}, .name = key});
    if (!policy) co_return Result<void>();
    if (IntAt(*policy, {"metadata", "generation"}) <=
        IntAt(*policy, {"status", "observedGeneration"})) {
      co_return Result<void>();
    }
    Result<std::vector<CheckedKind>> kinds = co_await KindsOf(policy);
    if (!kinds) co_return std::unexpected(kinds.error());
    client::ClientCall call;
    call.verb = client::ClientVerb::kPatch;
    call.resource = &policies_.resource();
    call.target = client::NameOf(*policy);
    call.subresource = "status";
    call.patch_type = client::PatchType::kApply;
    call.patch = StatusJson(*policy, CheckPolicyTypes(policy->root(), std::move(*kinds)));
    call.force = true;
    call.field_manager = kManager;
    const Result<client::ClientReply> applied = co_await context_.client.Send(std::move(call));
    if (applied || FailedWith(applied, StatusReason::kNotFound)) co_return Result<void>();
    co_return std::unexpected(applied.error());
  }

  client::Informer& policies_;
};

}  // namespace

std::unique_ptr<Controller> MakeValidatingAdmissionPolicyStatusController(
    ControllerContext context) {
  return std::make_unique<PolicyStatus>(std::move(context));
}

}  // namespace skiff::controllers
