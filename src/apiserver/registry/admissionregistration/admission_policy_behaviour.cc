#include "apiserver/registry/admissionregistration/admission_policy_behaviour.h"

#include <string>

#include "apiserver/authz/authorize_now.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/value_fields.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kAny = "*";

// What a parameter is; "*" for what is not known.
struct Parameters {
  std::string_view group = kAny;
  std::string_view version = kAny;
  std::string_view resource = kAny;
};

Parameters ParametersOf(const object::Value* kind) {
  Parameters found;
  if (kind == nullptr) return found;
  const std::string_view api_version = TextOf(kind, "apiVersion");
  const size_t slash = api_version.find('/');
  const bool has_group = slash != std::string_view::npos;
  found.group = has_group ? api_version.substr(0, slash) : std::string_view();
  found.version = has_group ? api_version.substr(slash + 1) : api_version;
  const object::GroupVersionInfo* served = object::FindGroupVersion(found.group, found.version);
  if (served == nullptr) return found;
  for (const object::ResourceDesc& each : served->resources) {
    if (each.kind_name == TextOf(kind, "kind")) found.resource = each.name;
  }
  return found;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) (out += out.empty() ? "" : " ") += text;
  return "[" + out + "]";
}

// The user as Kubernetes writes it into these messages.
std::string Shown(const serving::UserInfo& user) {
  std::string extra;
  for (const auto& [key, values] : user.extra) {
    (extra += extra.empty() ? "" : " ") += key + ":" + Joined(values);
  }
  return "&{" + user.name + " " + user.uid + " " + Joined(user.groups) + " map[" + extra + "]}";
}

bool MayRead(serving::Authorizer& authorizer, const serving::UserInfo& user, std::string_view verb,
             const Parameters& what, std::string_view name_space, std::string_view name) {
  const serving::AccessAttributes attributes{.user = &user,
                                             .verb = verb,
                                             .is_resource = true,
                                             .group = what.group,
                                             .version = what.version,
                                             .resource = what.resource,
                                             .subresource = {},
                                             .name_space = name_space,
                                             .name = name,
                                             .path = {}};
  return AuthorizeNow(authorizer, attributes).decision == serving::Decision::kAllow;
}

// Whether there is somebody who has to be asked about.
bool IsToBeAsked(const WriteContext& write, bool follows_rules) {
  return follows_rules && write.subresource.empty() && write.user != nullptr &&
         !write.user->IsIn(serving::kMastersGroup);
}

}  // namespace

void AdmissionPolicyBehaviour::Check(WriteContext& write, const object::Document* old,
                                     const object::Document& object, bool follows_rules,
                                     FieldErrors& errors) {
  const object::Value* kind = object.root().FindPath({"spec", "paramKind"});
  if (kind == nullptr || !IsToBeAsked(write, follows_rules)) return;
  if (old != nullptr && SameValue(old->root().FindPath({"spec", "paramKind"}), kind)) return;
  if (MayRead(authorizer_, *write.user, "get", ParametersOf(kind), kAny, kAny)) return;
  errors.Forbidden("spec.paramKind",
                   "user " + Shown(*write.user) +
                       " must have \"get\" permission on all objects of the referenced paramKind "
                       "(kind=" +
                       std::string(TextOf(kind, "kind")) +
                       ", apiVersion=" + std::string(TextOf(kind, "apiVersion")) + ")");
}

// Kubernetes asks at every update, for it compares references by where they are in memory.
void AdmissionPolicyBindingBehaviour::Check(WriteContext& write, const object::Document*,
                                            const object::Document& object, bool follows_rules,
                                            FieldErrors& errors) {
  const object::Value* spec = object.root().Find("spec");
  const object::Value* reference = FieldOf(spec, "paramRef");
  if (reference == nullptr || !IsToBeAsked(write, follows_rules)) return;
  const std::string name(TextOf(spec, "policyName"));
  const Result<object::Document> policy = find_policy_(name);
  const object::Value* kind = policy ? policy->root().FindPath({"spec", "paramKind"}) : nullptr;
  const Parameters what = ParametersOf(kind);
  const std::string verb = TextOf(reference, "name").empty() ? "list" : "get";
  if (MayRead(authorizer_, *write.user, verb, what, TextOf(reference, "namespace"),
              TextOf(reference, "name"))) {
    return;
  }
  const std::string user = Shown(*write.user);
  const std::string needed = " to determine minimum required permissions and user " + user +
                             " does not have \"" + verb +
                             "\" permission for all groups, versions and resources";
  std::string why;
  if (!policy) {
    why = "unable to get policy " + name + needed;
  } else if (kind != nullptr && what.resource == kAny) {
    why = "unable to resolve paramKind &{" + std::string(TextOf(kind, "apiVersion")) + " " +
          std::string(TextOf(kind, "kind")) + "}" + needed;
  } else {
    // For mutating policies Kubernetes has the two the wrong way round.
    why = "user " + (is_mutating_ ? verb : user) + " does not have \"" +
          (is_mutating_ ? user : verb) + "\" permission on the object referenced by paramRef";
  }
  errors.Forbidden("spec.paramRef", why);
}

}  // namespace skiff::apiserver
