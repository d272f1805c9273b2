#include "cel/environment.h"

#include <set>

#include "cel/authorizer.h"
#include "cel/opaque.h"
#include "cel/overloads_format.h"
#include "cel/overloads_lists.h"
#include "cel/overloads_network.h"
#include "cel/overloads_optional.h"
#include "cel/overloads_quantity.h"
#include "cel/overloads_regex.h"
#include "cel/overloads_standard.h"
#include "cel/overloads_strings.h"
#include "cel/overloads_time.h"
#include "cel/protobuf_types.h"

namespace skiff::cel {
namespace {

void CollectParams(const Type& type, std::vector<std::string_view>& out) {
  if (type.kind == TypeKind::kTypeParam) {
    if (std::ranges::find(out, type.name) == out.end()) out.push_back(type.name);
    return;
  }
  for (const Type* param : type.params) CollectParams(*param, out);
}

// Types of the arguments between two brackets.
std::vector<const Type*> ParseArguments(Types& types, std::string_view text) {
  std::vector<const Type*> out;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    std::string_view one = text.substr(begin, i - begin);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (!one.empty()) out.push_back(types.Parse(one));
    begin = i + 1;
  }
  return out;
}

void ParseSignature(Types& types, std::string_view text, Overload& overload) {
  const size_t arrow = text.rfind(" -> ");
  overload.result = types.Parse(text.substr(arrow + 4));
  std::string_view args = text.substr(0, arrow);
  if (!args.starts_with('(')) {
    // The receiver ends at the last ".(".
    const size_t dot = args.rfind(".(");
    overload.member = true;
    overload.args.push_back(types.Parse(args.substr(0, dot)));
    args.remove_prefix(dot + 1);
  }
  args = args.substr(1, args.size() - 2);
  for (const Type* type : ParseArguments(types, args)) overload.args.push_back(type);
  for (const Type* type : overload.args) CollectParams(*type, overload.type_params);
  CollectParams(*overload.result, overload.type_params);
}

// A struct that expressions read, with fields that are given as "name: type, …".
const Type* DeclareStruct(Types& types, std::string_view name,
                          std::initializer_list<std::pair<const char*, const Type*>> fields) {
  StructDecl& decl = types.Struct(name);
  for (const auto& [field, type] : fields) decl.fields[field] = type;
  return decl.type;
}

const Type* AdmissionRequestType(Types& types) {
  const Type* text = &types::kString;
  const Type* kind = DeclareStruct(types, "kubernetes.GroupVersionKind",
                                   {{"group", text}, {"version", text}, {"kind", text}});
  const Type* resource = DeclareStruct(types, "kubernetes.GroupVersionResource",
                                       {{"group", text}, {"version", text}, {"resource", text}});
  const Type* user = DeclareStruct(types, "kubernetes.UserInfo",
                                   {{"username", text},
                                    {"uid", text},
                                    {"groups", types.List(text)},
                                    {"extra", types.Map(text, types.List(text))}});
  return DeclareStruct(types, "kubernetes.AdmissionRequest",
                       {{"kind", kind},
                        {"resource", resource},
                        {"subResource", text},
                        {"requestKind", kind},
                        {"requestResource", resource},
                        {"requestSubResource", text},
                        {"name", text},
                        {"namespace", text},
                        {"operation", text},
                        {"userInfo", user},
                        {"dryRun", &types::kBool},
                        {"options", &types::kDyn}});
}

const Type* NamespaceType(Types& types) {
  const Type* text = &types::kString;
  const Type* time = &types::kTimestamp;
  const Type* condition = DeclareStruct(types, "kubernetes.NamespaceCondition",
                                        {{"status", text},
                                         {"type", text},
                                         {"lastTransitionTime", time},
                                         {"message", text},
                                         {"reason", text}});
  const Type* spec =
      DeclareStruct(types, "kubernetes.NamespaceSpec", {{"finalizers", types.List(text)}});
  const Type* status = DeclareStruct(types, "kubernetes.NamespaceStatus",
                                     {{"conditions", types.List(condition)}, {"phase", text}});
  const Type* metadata = DeclareStruct(types, "kubernetes.NamespaceMetadata",
                                       {{"name", text},
                                        {"generateName", text},
                                        {"namespace", text},
                                        {"labels", types.Map(text, text)},
                                        {"annotations", types.Map(text, text)},
                                        {"UID", text},
                                        {"creationTimestamp", time},
                                        {"deletionGracePeriodSeconds", &types::kInt},
                                        {"deletionTimestamp", time},
                                        {"generation", &types::kInt},
                                        {"resourceVersion", text},
                                        {"finalizers", types.List(text)}});
  return DeclareStruct(types, "kubernetes.Namespace",
                       {{"metadata", metadata}, {"spec", spec}, {"status", status}});
}

void AddPatchTypes(Environment& environment) {
  Types& types = environment.types();
  environment.AddFunctions(JsonPatchFunctions());
  StructDecl& patch = types.Struct("JSONPatch");
  for (const char* name : {"op", "path", "from"}) patch.fields[name] = &types::kString;
  patch.fields["value"] = &types::kDyn;
  patch.unknown_fields_mismatch = true;
  patch.make = MakeJsonPatch;
  environment.AddStruct("JSONPatch", patch);
  StructDecl& object = types.Struct("Object");
  object.any_field = true;
  object.other_fields = &types::kDyn;
  environment.AddStruct("Object", object);
}

}  // namespace

void Environment::AddVariable(std::string_view name, const Type* type) {
  variables_[std::string(name)] = type;
}

void Environment::AddFunctions(std::span<const OverloadRow> rows) {
  for (const OverloadRow& row : rows) {
    FunctionDecl& function = functions_[std::string(row.function)];
    function.name = row.function;
    Overload& overload = function.overloads.emplace_back();
    overload.id = row.id;
    overload.impl = row.impl;
    overload.function = &function;
    ParseSignature(types_, row.signature, overload);
  }
}

void Environment::AddShared(std::span<const SharedImpl> rows) {
  for (const SharedImpl& row : rows) {
    FunctionDecl& function = functions_[std::string(row.function)];
    function.impl = row.impl;
    function.applies = row.applies;
  }
}

const Type* Environment::FindVariable(std::string_view name) const {
  if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
  return parent_ == nullptr ? nullptr : parent_->FindVariable(name);
}

const FunctionDecl* Environment::FindFunction(std::string_view name) const {
  if (const auto found = functions_.find(name); found != functions_.end()) return &found->second;
  return parent_ == nullptr ? nullptr : parent_->FindFunction(name);
}

const StructDecl* Environment::FindStruct(std::string_view name) const {
  if (const auto found = structs_.find(name); found != structs_.end()) return found->second;
  return parent_ == nullptr ? nullptr : parent_->FindStruct(name);
}

const Type* Environment::FindTypeName(std::string_view name) const {
  if (const auto found = type_names_.find(name); found != type_names_.end()) return found->second;
  return parent_ == nullptr ? nullptr : parent_->FindTypeName(name);
}

const Environment::Constant* Environment::FindConstant(std::string_view name) const {
  if (const auto found = constants_.find(name); found != constants_.end()) return &found->second;
  return parent_ == nullptr ? nullptr : parent_->FindConstant(name);
}

std::shared_ptr<const Environment> Environment::Base() {
  static const std::shared_ptr<const Environment> base = [] {
    auto environment = std::make_shared<Environment>(nullptr);
    Types& types = environment->types();
    for (const auto& rows :
         {StandardFunctions(), TimeFunctions(), OptionalFunctions(), StringFunctions(),
          ListFunctions(), RegexFunctions(), NetworkFunctions(), QuantityFunctions(),
          FormatFunctions(), AuthorizerFunctions()}) {
      environment->AddFunctions(rows);
    }
    environment->AddShared(StandardImplementations());
    environment->AddShared(ListImplementations());
    AddProtobufTypes(*environment);
    const auto type_name = [&](const Type* type) {
      environment->type_names_[std::string(type->name)] = types.OfType(type);
    };
    for (const Type* type : {&types::kBool, &types::kBytes, &types::kDouble, &types::kDuration,
                             &types::kInt, &types::kNull, &types::kString, &types::kTimestamp,
                             &types::kTypeType, &types::kUint, &types::kIp, &types::kCidr}) {
      type_name(type);
    }
    const Type* a = types.Param("A");
    type_name(types.List(a));
    type_name(types.Map(a, types.Param("B")));
    type_name(types.Opaque("optional_type", {}));
    return environment;
  }();
  return base;
}

std::shared_ptr<const Environment> Environment::Admission(const AdmissionNames& names) {
  // What all of them have, whose types are told apart by name and made once.
  static const std::shared_ptr<const Environment> shared = [] {
    auto environment = std::make_shared<Environment>(Base());
    environment->AddVariable("object", &types::kDyn);
    environment->AddVariable("oldObject", &types::kDyn);
    environment->AddVariable("request", AdmissionRequestType(environment->types()));
    environment->AddVariable("namespaceObject", NamespaceType(environment->types()));
    return environment;
  }();
  const auto make = [](const AdmissionNames& with) {
    auto environment = std::make_shared<Environment>(shared);
    if (with.params) environment->AddVariable("params", &types::kDyn);
    if (with.authorizer) {
      environment->AddVariable("authorizer", &types::kAuthorizer);
      environment->AddVariable("authorizer.requestResource", &types::kResourceCheck);
    }
    if (with.patches) AddPatchTypes(*environment);
    return std::shared_ptr<const Environment>(environment);
  };
  static const std::vector<std::shared_ptr<const Environment>> all = [&make] {
    std::vector<std::shared_ptr<const Environment>> out;
    for (unsigned bits = 0; bits < 8; ++bits) {
      out.push_back(make({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}));
    }
    return out;
  }();
  return all[(names.params ? 1 : 0) | (names.authorizer ? 2 : 0) | (names.patches ? 4 : 0)];
}

}  // namespace skiff::cel
