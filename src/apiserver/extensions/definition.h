// A CustomResourceDefinition, compiled: the tables that built-in resources have from the schema in
// api/, made at run time from what a definition says.
//
// A definition has one hub and one storage, as a built-in resource has, and for each of its
// versions a descriptor, a resource and what its schema does to objects (CustomVersion). The tables
// are small and made at once. Schemas and columns are large, and most are never asked for: they are
// made from the definition's stored bytes, which are shared with the cache of definitions, when
// somebody first needs them.
//
// Immutable, and shared: whoever holds an object, a request or a watch of the kind holds the
// definition too. A definition that changes is compiled anew.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "base/arena.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/open_kind.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

class CustomDefinition;

// One version of a definition: its tables, and what its schema does to objects.
class CustomVersion final : public object::OpenKind {
 public:
  CustomVersion(const CustomDefinition& definition, size_t index)
      : definition_(definition), index_(index) {}
  CustomVersion(const CustomVersion&) = delete;
  CustomVersion& operator=(const CustomVersion&) = delete;

  std::string_view name() const { return desc_.version; }
  const object::MessageDesc& kind() const { return kind_; }
  const object::ResourceDesc& resource() const { return resource_; }
  const CustomDefinition& definition() const { return definition_; }
  bool served() const { return served_; }
  bool has_status() const { return has_status_; }
  // Of those who use it; empty: nothing.
  std::string_view deprecation() const { return deprecation_; }

  // Compiled when it is first asked for. Null: the version has none. It lives as long as the
  // definition.
  Result<const CompiledSchema*> Schema() const;

  Result<void> Coerce(object::Document& object, bool stored,
                      std::vector<object::FieldIssue>* issues) const override;
  void Default(object::Document& object) const override;
  Result<object::Document> ConvertFrom(const object::Document& object) const override;
  const object::MessageDesc* InVersion(std::string_view api_version) const override;
  std::span<const object::ResourceDesc* const> Served() const override;
  bool IsSelectable(std::string_view field) const override;
  object::FieldShape Shape() const override;
  const object::ScalePaths* Scale() const override { return has_scale_ ? &scale_ : nullptr; }

 private:
  friend class DefinitionCompiler;

  const CustomDefinition& definition_;
  const size_t index_;  // among the versions of the spec
  object::GroupVersionDesc desc_{};
  object::MessageDesc kind_{};
  object::MessageDesc list_kind_{};
  object::GroupVersionInfo info_{};
  object::ResourceDesc resource_{};
  object::SubresourceDesc subresources_[2] = {};
  object::ScalePaths scale_;
  std::vector<std::string_view> selectable_;
  std::string_view deprecation_;
  bool served_ = false;
  bool has_status_ = false;
  bool has_scale_ = false;

  mutable std::once_flag compiled_;
  mutable Result<std::shared_ptr<const CompiledSchema>> schema_;
};

class CustomDefinition {
 public:
  // Of a CustomResourceDefinition as apiextensions.k8s.io/v1 has it, with the names that it has
  // been granted in its status, and its bytes at rest.
  static Result<std::shared_ptr<const CustomDefinition>> Make(
      const object::Document& definition, const SharedBytes& stored,
      std::shared_ptr<PatternCache> patterns);
  CustomDefinition(const CustomDefinition&) = delete;
  CustomDefinition& operator=(const CustomDefinition&) = delete;

  std::string_view name() const { return name_; }
  std::string_view uid() const { return uid_; }
  std::string_view group() const { return group_; }
  std::string_view plural() const { return plural_; }
  std::string_view kind_name() const { return kind_name_; }
  // Another whenever what is published of the definition is.
  std::string_view fingerprint() const { return fingerprint_; }
  bool namespaced() const { return namespaced_; }
  bool preserves_unknown_fields() const { return preserves_unknown_fields_; }
  // Objects get from one version to another by what a webhook says (webhook_converter.h).
  bool converts_by_webhook() const { return converts_by_webhook_; }

  const object::ResourceHub& hub() const { return hub_; }
  // In the order of the spec; those that are not served, too.
  const std::vector<std::unique_ptr<CustomVersion>>& versions() const { return versions_; }
  std::span<const object::ResourceDesc* const> served() const { return served_; }
  const CustomVersion& storage_version() const { return *storage_version_; }
  // Null: there is no such version.
  const CustomVersion* FindVersion(std::string_view name) const;

  // The definition as apiextensions.k8s.io/v1 has it.
  Result<object::Document> Read() const;
  // The same definition is at rest in other bytes now: only its status or metadata differ.
  void ShareBytes(const SharedBytes& stored) const;
  PatternCache& patterns() const { return *patterns_; }
  const std::shared_ptr<PatternCache>& shared_patterns() const { return patterns_; }

 private:
  friend class DefinitionCompiler;
  CustomDefinition() = default;

  Arena arena_{1024};
  mutable std::mutex stored_mutex_;
  mutable SharedBytes stored_;
  std::shared_ptr<PatternCache> patterns_;
  std::string_view name_;
  std::string_view uid_;
  std::string_view group_;
  std::string_view plural_;
  std::string_view kind_name_;
  std::string_view fingerprint_;
  bool namespaced_ = false;
  bool preserves_unknown_fields_ = false;
  bool converts_by_webhook_ = false;
  object::StorageDesc storage_{};
  object::ResourceHub hub_{};
  std::vector<std::unique_ptr<CustomVersion>> versions_;
  std::vector<const object::ResourceDesc*> served_;
  const CustomVersion* storage_version_ = nullptr;
};

// The bytes of a CustomResourceDefinition at rest, as apiextensions.k8s.io/v1 has it.
Result<object::Document> ReadDefinition(std::string_view stored);

}  // namespace skiff::apiserver
