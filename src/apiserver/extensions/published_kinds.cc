#include "apiserver/extensions/published_kinds.h"

#include <map>
#include <memory>
#include <utility>

#include "views/apiextensions.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::apiextensions_k8s_io_v1;

// A kind, and what its parts lie in.
struct ReadKind {
  std::shared_ptr<const CustomDefinition> definition;
  object::Document object;
  CustomKind kind;
};

std::unique_ptr<ReadKind> Read(std::shared_ptr<const CustomDefinition> definition,
                               const CustomVersion& version) {
  Result<object::Document> object = definition->Read();
  if (!object) return nullptr;
  auto out = std::make_unique<ReadKind>();
  out->definition = std::move(definition);
  out->object = std::move(*object);
  out->kind.resource = &version.resource();
  out->kind.preserves_unknown_fields = out->definition->preserves_unknown_fields();
  for (const auto each : v1::CustomResourceDefinition(out->object).spec().versions()) {
    if (each.name() != version.name()) continue;
    if (each.schema().has_open_api_v3_schema()) {
      out->kind.schema = each.schema().open_api_v3_schema().AsValue();
    }
    for (const auto field : each.selectable_fields()) {
      out->kind.selectable_fields.push_back(field.json_path());
    }
  }
  return out;
}

}  // namespace

std::vector<CustomGroupVersion> PublishedKinds::GroupVersions() const {
  std::map<std::pair<std::string, std::string>, std::string> all;
  resources_.ForEach([&](const ServedDefinition& served) {
    const CustomDefinition& definition = served.definition();
    for (const auto& version : definition.versions()) {
      if (!version->served()) continue;
      all[{std::string(definition.group()), std::string(version->name())}] +=
          definition.fingerprint();
    }
  });
  std::vector<CustomGroupVersion> out;
  for (auto& [name, fingerprint] : all) {
    out.push_back({name.first, name.second, std::move(fingerprint)});
  }
  return out;
}

std::string PublishedKinds::FingerprintOf(std::string_view group, std::string_view version) const {
  std::string out;
  for (const auto& served : resources_.InGroup(group)) {
    if (served->Route(version) != nullptr) out += served->definition().fingerprint();
  }
  return out;
}

bool PublishedKinds::WithKinds(std::string_view group, std::string_view version,
                               const Visit& visit) const {
  std::vector<std::unique_ptr<ReadKind>> read;
  std::vector<CustomKind> kinds;
  for (const auto& served : resources_.InGroup(group)) {
    const CustomVersion* found = served->definition().FindVersion(version);
    if (found == nullptr || !found->served()) continue;
    if (auto made = Read(served->shared_definition(), *found); made != nullptr) {
      kinds.push_back(made->kind);
      read.push_back(std::move(made));
    }
  }
  if (kinds.empty()) return false;
  visit(kinds);
  return true;
}

}  // namespace skiff::apiserver
