#include "apiserver/extensions/definition.h"

#include <algorithm>
#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/discovery/version_order.h"
#include "apiserver/extensions/schema/custom_resource.h"
#include "apiserver/extensions/schema/open_shapes.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "crypto/digest.h"
#include "object/descriptor_builder.h"
#include "object/fields/shape.h"
#include "object/scalar/base64.h"
#include "views/apiextensions.k8s.io/v1.h"
#include "views/autoscaling/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::apiextensions_k8s_io_v1;

// What all custom kinds have in common: the fields that are typed.
const object::MessageDesc& CommonFields() {
  static const object::MessageDesc* const common = [] {
    static object::DescriptorPool pool;
    const object::FieldSpec fields[] = {{.name = "kind"},
                                        {.name = "apiVersion"},
                                        {.name = "metadata",
                                         .type = object::FieldType::kMessage,
                                         .message = views::meta_v1::ObjectMeta::Type()}};
    return *pool.Add("CustomResource", fields);
  }();
  return *common;
}

constexpr uint8_t VerbBits(std::initializer_list<object::Verb> verbs) {
  uint8_t bits = 0;
  for (const object::Verb verb : verbs) bits |= uint8_t(1u << static_cast<unsigned>(verb));
  return bits;
}
constexpr object::VerbSet kAllVerbs(0xff);
constexpr object::VerbSet kSubresourceVerbs(VerbBits({object::Verb::kGet, object::Verb::kPatch,
                                                      object::Verb::kUpdate}));

// What a write through each endpoint cannot set, where there is a status of its own.
constexpr std::string_view kStatusPath[] = {"status"};
constexpr std::string_view kOtherPaths[] = {"metadata", "spec"};
constexpr object::EndpointPaths kReset[] = {{"main", kStatusPath}, {"status", kOtherPaths}};

}  // namespace

Result<object::Document> ReadDefinition(std::string_view stored) {
  SKIFF_ASSIGN_OR_RETURN(object::Document object, DecodeStored(stored, {}));
  return Convert(std::move(object), v1::CustomResourceDefinition::Type());
}

// --- a version

Result<const CompiledSchema*> CustomVersion::Schema() const {
  std::call_once(compiled_, [this] {
    schema_ = [this]() -> Result<std::shared_ptr<const CompiledSchema>> {
      SKIFF_ASSIGN_OR_RETURN(const object::Document object, definition_.Read());
      const auto versions = v1::CustomResourceDefinition(object).spec().versions();
      const auto schema = versions[index_].schema();
      if (!schema.has_open_api_v3_schema()) return nullptr;
      return CompiledSchema::Compile(*schema.open_api_v3_schema().AsValue(),
                                     definition_.shared_patterns());
    }();
  });
  if (!schema_) return std::unexpected(schema_.error());
  return schema_->get();
}

Result<void> CustomVersion::Coerce(object::Document& object, bool stored,
                                   std::vector<object::FieldIssue>* issues) const {
  SKIFF_ASSIGN_OR_RETURN(const CompiledSchema* schema, Schema());
  if (schema == nullptr) return {};
  return CoerceCustomResource(*schema, object,
                              {.preserve_unknown_fields = definition_.preserves_unknown_fields(),
                               .stored = stored,
                               .issues = issues});
}

void CustomVersion::Default(object::Document& object) const {
  const Result<const CompiledSchema*> schema = Schema();
  if (schema && *schema != nullptr) DefaultCustomResource(**schema, object);
}

const object::MessageDesc* CustomVersion::InVersion(std::string_view api_version) const {
  const std::string_view group = definition_.group();
  if (!api_version.starts_with(group) || api_version.size() <= group.size() ||
      api_version[group.size()] != '/') {
    return nullptr;
  }
  const CustomVersion* found = definition_.FindVersion(api_version.substr(group.size() + 1));
  return found != nullptr ? &found->kind() : nullptr;
}

Result<object::Document> CustomVersion::ConvertFrom(const object::Document& object) const {
  if (definition_.converts_by_webhook()) {
    return Fail(StatusReason::kInternalError,
                "objects of " + std::string(definition_.name()) +
                    " are converted by a webhook, which is not asked here");
  }
  object::Document out = object.Copy();
  out.SetOpenType(&kind_);
  out.root().Set(out.arena(), "apiVersion",
                 object::Value::String(out.arena().Copy(desc_.api_version)));
  SKIFF_RETURN_IF_ERROR(Coerce(out, /*stored=*/false, nullptr));
  return out;
}

std::span<const object::ResourceDesc* const> CustomVersion::Served() const {
  return definition_.served();
}

bool CustomVersion::IsSelectable(std::string_view field) const {
  return std::ranges::find(selectable_, field) != selectable_.end();
}

object::FieldShape CustomVersion::Shape() const {
  const Result<const CompiledSchema*> schema = Schema();
  return ShapeOfCustomResource(schema ? *schema : nullptr);
}

// --- the definition

Result<object::Document> CustomDefinition::Read() const {
  SharedBytes stored;
  {
    const std::lock_guard lock(stored_mutex_);
    stored = stored_;
  }
  return ReadDefinition(stored.view());
}

void CustomDefinition::ShareBytes(const SharedBytes& stored) const {
  const std::lock_guard lock(stored_mutex_);
  stored_ = stored;
}

const CustomVersion* CustomDefinition::FindVersion(std::string_view name) const {
  for (const auto& version : versions_) {
    if (version->name() == name) return version.get();
  }
  return nullptr;
}

class DefinitionCompiler {
 public:
  DefinitionCompiler(CustomDefinition& out, const object::Document& object)
      : out_(out), object_(object) {}

  Result<void> Run() {
    const auto spec = object_.spec();
    const auto names = object_.status().accepted_names();
    out_.name_ = Copy(object_.metadata().name());
    out_.uid_ = Copy(object_.metadata().uid());
    out_.group_ = Copy(spec.group());
    out_.plural_ = Copy(names.plural());
    out_.kind_name_ = Copy(names.kind());
    singular_ = Copy(names.singular());
    list_kind_name_ = Copy(names.list_kind());
    short_names_ = CopyList(names.short_names());
    categories_ = CopyList(names.categories());
    out_.fingerprint_ =
        Copy(std::string(out_.uid_) + ":" + std::to_string(object_.metadata().generation()) + ":" +
             std::string(out_.kind_name_) + ":" + std::string(list_kind_name_) + ";");
    out_.namespaced_ = spec.scope() == "Namespaced";
    out_.preserves_unknown_fields_ = spec.preserve_unknown_fields();
    out_.converts_by_webhook_ = spec.conversion().strategy() == "Webhook";
    if (out_.plural_.empty() || out_.kind_name_.empty()) {
      return Fail(StatusReason::kInternalError, "the definition has no accepted names");
    }
    for (size_t i = 0; i < spec.versions().size(); ++i) AddVersion(i, spec.versions()[i]);
    if (out_.storage_version_ == nullptr) {
      return Fail(StatusReason::kInternalError, "no version of the definition is stored");
    }
    SetStorage();
    SetHub();
    return {};
  }

 private:
  std::string_view Copy(std::string_view text) { return out_.arena_.Copy(text); }
  template <typename List>
  std::span<const std::string_view> CopyList(const List& list) {
    if (list.size() == 0) return {};
    auto* copy = out_.arena_.AllocateArray<std::string_view>(list.size());
    for (size_t i = 0; i < list.size(); ++i) copy[i] = Copy(list[i]);
    return {copy, list.size()};
  }

  void AddVersion(size_t index, const v1::CustomResourceDefinitionVersion& version) {
    CustomVersion& made =
        *out_.versions_.emplace_back(std::make_unique<CustomVersion>(out_, index));
    object::GroupVersionDesc& desc = made.desc_;
    desc.group = out_.group_;
    desc.version = Copy(version.name());
    desc.path = Copy(std::string(desc.group) + "/" + std::string(desc.version));
    desc.api_version = desc.path;
    made.kind_ = CommonFields();
    made.kind_.name = out_.kind_name_;
    made.kind_.group_version = &desc;
    made.kind_.open = &made;
    made.list_kind_.name = list_kind_name_;
    made.list_kind_.group_version = &desc;
    made.served_ = version.served();
    if (version.storage()) out_.storage_version_ = &made;
    if (version.served()) out_.served_.push_back(&made.resource_);
    for (const auto field : version.selectable_fields()) {
      made.selectable_.push_back(Copy(LabelOf(field)));
    }
    AddSubresources(made, version.subresources());
    if (version.deprecated()) made.deprecation_ = DeprecationOf(version);
    made.info_ = {.desc = &desc,
                  .preferred = false,
                  .enabled_by_default = true,
                  .group_priority = 1000,
                  .version_priority = 100,
                  .resources = {&made.resource_, 1}};
    made.resource_.name = out_.plural_;
    made.resource_.singular = singular_;
    made.resource_.version = &made.info_;
    made.resource_.kind = &made.kind_;
    made.resource_.kind_name = out_.kind_name_;
    made.resource_.list_kind = &made.list_kind_;
    made.resource_.hub = &out_.hub_;
    made.resource_.short_names = short_names_;
    made.resource_.categories = categories_;
    made.resource_.verbs = kAllVerbs;
    made.resource_.namespaced = out_.namespaced_;
  }

  void AddSubresources(CustomVersion& made, const v1::CustomResourceSubresources& from) {
    size_t count = 0;
    if (from.has_scale()) {
      made.has_scale_ = true;
      made.scale_ = {.spec_replicas = Copy(from.scale().spec_replicas_path()),
                     .status_replicas = Copy(from.scale().status_replicas_path()),
                     .label_selector = Copy(from.scale().label_selector_path().value_or(""))};
      made.subresources_[count++] = {.name = "scale",
                                     .kind = views::autoscaling_v1::Scale::Type(),
                                     .verbs = kSubresourceVerbs,
                                     .gate = {}};
    }
    if (from.has_status()) {
      made.has_status_ = true;
      made.subresources_[count++] = {
          .name = "status", .kind = &made.kind_, .verbs = kSubresourceVerbs, .gate = {}};
    }
    made.resource_.subresources = {made.subresources_, count};
  }

  // As whoever defined the version has it, or else the version that should be used instead.
  std::string_view DeprecationOf(const v1::CustomResourceDefinitionVersion& version) {
    if (const auto given = version.deprecation_warning(); given) return Copy(*given);
    const auto spec = object_.spec();
    const std::string kind(spec.names().kind());
    const auto named = [&](std::string_view name) {
      return std::string(spec.group()) + "/" + std::string(name) + " " + kind;
    };
    std::string_view better;
    for (const auto other : spec.versions()) {
      if (!other.served() || other.deprecated()) continue;
      if (!VersionComesFirst(other.name(), version.name())) continue;
      if (better.empty() || VersionComesFirst(other.name(), better)) better = other.name();
    }
    std::string text = named(version.name()) + " is deprecated";
    if (!better.empty()) text += "; use " + named(better);
    return Copy(text);
  }

  void SetStorage() {
    object::StorageDesc& storage = out_.storage_;
    storage.prefix = Copy(std::string(out_.group_) + "/" + std::string(out_.plural_));
    storage.stored = &out_.storage_version_->kind();
    storage.media = object::StorageMedia::kJson;
    storage.propagation = object::DeletePropagation::kBackground;
    storage.watch_cache = true;
    storage.reset =
        out_.storage_version_->has_status() ? std::span(kReset) : std::span(kReset).first(0);
  }

  void SetHub() {
    object::ResourceHub& hub = out_.hub_;
    hub.resource = &out_.storage_version_->resource();
    hub.storage = &out_.storage_;
    hub.name_format = "dns1123Subdomain";
    hub.selectable = SelectableFields();
    const crypto::Sha256Digest digest =
        crypto::Sha256(std::string(out_.group_) + "/" + std::string(out_.storage_version_->name()) +
                       "/" + std::string(out_.kind_name_));
    std::string hash;
    object::AppendBase64(crypto::AsBytes(digest).substr(0, 8), hash);
    const std::string_view kept = Copy(hash);
    for (const auto& version : out_.versions_) version->resource_.storage_version_hash = kept;
  }

  // What selectors call the field of a path.
  static std::string_view LabelOf(const v1::SelectableField& field) {
    std::string_view path = field.json_path();
    if (path.starts_with('.')) path.remove_prefix(1);
    return path;
  }

  // Those of all versions, each once.
  std::span<const object::SelectableField> SelectableFields() {
    std::vector<std::string_view> labels = {"metadata.name", "metadata.namespace"};
    for (const auto version : object_.spec().versions()) {
      for (const auto field : version.selectable_fields()) {
        const std::string_view path = LabelOf(field);
        if (std::ranges::find(labels, path) == labels.end()) labels.push_back(Copy(path));
      }
    }
    auto* fields = out_.arena_.AllocateArray<object::SelectableField>(labels.size());
    for (size_t i = 0; i < labels.size(); ++i) {
      fields[i] = {.label = labels[i],
                   .cell = {},
                   .trigger = false,
                   .indexed = false,
                   .index_condition = {}};
    }
    return {fields, labels.size()};
  }

  CustomDefinition& out_;
  const v1::CustomResourceDefinition object_;
  std::string_view singular_;
  std::string_view list_kind_name_;
  std::span<const std::string_view> short_names_;
  std::span<const std::string_view> categories_;
};

Result<std::shared_ptr<const CustomDefinition>> CustomDefinition::Make(
    const object::Document& definition, const SharedBytes& stored,
    std::shared_ptr<PatternCache> patterns) {
  std::shared_ptr<CustomDefinition> out(new CustomDefinition());
  out->stored_ = stored;
  out->patterns_ = std::move(patterns);
  SKIFF_RETURN_IF_ERROR(DefinitionCompiler(*out, definition).Run());
  return out;
}

}  // namespace skiff::apiserver
