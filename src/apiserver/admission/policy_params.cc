#include "apiserver/admission/policy_params.h"

#include <utility>

#include "apiserver/admission/lookups.h"
#include "apiserver/convert/convert.h"
#include "apiserver/convert/object_converter.h"
#include "apiserver/rest/object_output.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

// "apps/v1, Kind=Deployment", "/v1, Kind=Pod".
std::string Shown(const ParamKind& kind) {
  const bool has_group = kind.api_version.find('/') != std::string::npos;
  return (has_group ? "" : "/") + kind.api_version + ", Kind=" + kind.kind;
}

// As Go prints the message.
std::string Printed(const ParamKind& kind) {
  return "`&ParamKind{APIVersion:" + kind.api_version + ",Kind:" + kind.kind + ",}`";
}

// Calls with each entry of the namespace (empty: of all) that the selector takes.
template <typename Call>
void ForEachSelected(ResourceStorage* storage, std::string_view name_space,
                     const object::LabelSelector& selector, Call call) {
  auto list = std::make_shared<std::optional<store::ListReply>>();
  store::CacheListRequest request;
  request.resource_version = "0";
  request.selection.name_space = std::string(name_space);
  request.selection.labels = selector;
  storage->cache().List(std::move(request), [list](Result<store::ListReply> reply) {
    if (reply) list->emplace(std::move(*reply));
  });
  if (!*list) return;
  store::ListCursor at = (*list)->Entries();
  while (const store::CacheEntry* entry = at.Next()) call(*entry);
}

}  // namespace

FoundKind PolicyParams::FindKind(const ParamKind& kind) const {
  const std::string_view text = kind.api_version;
  const size_t slash = text.find('/');
  const std::string_view group = slash == text.npos ? "" : text.substr(0, slash);
  const std::string_view version = slash == text.npos ? text : text.substr(slash + 1);
  if (const object::GroupVersionInfo* found = object::FindGroupVersion(group, version)) {
    for (const object::ResourceDesc& each : found->resources) {
      if (each.kind_name != kind.kind || each.hub->storage == nullptr) continue;
      if (context_.is_served ? !context_.is_served(each) : !found->enabled_by_default) continue;
      return {&each, context_.storages.Find(each.hub)};
    }
  }
  return context_.find_custom_kind ? context_.find_custom_kind(group, version, kind.kind)
                                   : FoundKind();
}

std::string PolicyParams::ConfigurationFault(const Policy& policy) const {
  if (!policy.param_kind || FindKind(*policy.param_kind).resource != nullptr) return {};
  return "failed to find resource referenced by paramKind: '" + Shown(*policy.param_kind) + "'";
}

void PolicyParams::Memory::Put(const std::string& key, Known object) {
  const std::lock_guard lock(mutex);
  if (known.size() >= limits::kMaxRememberedObjects) known.clear();
  known.insert_or_assign(key, std::move(object));
}

namespace {

// An object of a custom kind is read by what its definition says.
PolicyParams::Param Hold(object::Document object, std::shared_ptr<const void> definition) {
  struct Held {
    object::Document document;
    std::shared_ptr<const void> definition;
  };
  const auto held = std::make_shared<const Held>(Held{std::move(object), std::move(definition)});
  return {held, &held->document};
}

}  // namespace

void PolicyParams::AskFor(const FoundKind& kind, const store::CacheEntry& entry,
                          const std::string& key) {
  kind.storage->converter()->Convert(
      {entry.value()}, *kind.resource->kind, ObjectConverter::Memory::kAnswers, nullptr,
      [memory = memory_, kind, key,
       revision = entry.revision()](Result<ObjectConverter::Objects> made) {
        if (!made) return;
        const object::MessageDesc* const type = kind.resource->kind;
        Result<object::Document> object = DecodeStored(made->front().view(), revision, type);
        if (object) memory->Put(key, {revision, type, Hold(std::move(*object), kind.owner)});
      });
}

Result<PolicyParams::Param> PolicyParams::Read(const FoundKind& kind,
                                               const store::CacheEntry& entry) {
  const object::MessageDesc* const type = kind.resource->kind;
  const std::string key = kind.storage->prefix() + std::string(entry.key()) + ' ' +
                          std::string(type->group_version->api_version);
  const auto find = [&]() -> Param {
    const std::lock_guard lock(memory_->mutex);
    const auto found = memory_->known.find(key);
    const bool is_it = found != memory_->known.end() &&
                       found->second.revision == entry.revision() && found->second.kind == type;
    return is_it ? found->second.object : nullptr;
  };
  if (Param known = find(); known != nullptr) return known;
  if (kind.storage->converter() != nullptr) {
    AskFor(kind, entry, key);
    // It need not have been converted.
    if (Param known = find(); known != nullptr) return known;
    return Fail(StatusReason::kInvalid, "an object is not converted yet");
  }
  Result<object::Document> stored = DecodeStored(entry.value().view(), entry.revision(),
                                                 kind.storage->desc().stored);
  if (!stored) return nullptr;
  Result<object::Document> converted = Convert(std::move(*stored), type);
  if (!converted) return nullptr;
  Param object = Hold(std::move(*converted), kind.owner);
  memory_->Put(key, {entry.revision(), type, object});
  return object;
}

Result<std::vector<PolicyParams::Param>> PolicyParams::Collect(const Policy& policy,
                                                               const PolicyBinding& binding,
                                                               std::string_view request_namespace) {
  const auto fail = [](std::string why) { return Fail(StatusReason::kInvalid, std::move(why)); };
  if (!policy.param_kind || !binding.params) return std::vector<Param>{nullptr};
  const ParamRef& ref = *binding.params;
  const FoundKind kind = FindKind(*policy.param_kind);
  if (kind.resource == nullptr) {
    return fail("paramKind kind " + Printed(*policy.param_kind) + " not known");
  }
  std::string_view name_space;
  if (kind.resource->namespaced) {
    name_space = ref.name_space.empty() ? request_namespace : std::string_view(ref.name_space);
    if (name_space.empty()) {
      return fail(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
  } else if (!ref.name_space.empty()) {
    return fail("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (kind.storage == nullptr || !kind.storage->cache().ready()) {
    return fail("paramKind kind " + Printed(*policy.param_kind) +
                " not yet synced to use for admission");
  }
  std::vector<Param> out;
  bool lacks_some = false;
  const auto add = [&](const store::CacheEntry& entry) {
    Result<Param> object = Read(kind, entry);
    lacks_some = lacks_some || !object;
    if (object && *object != nullptr) out.push_back(std::move(*object));
  };
  if (!ref.name.empty()) {
    const store::EntryRef entry = FindInCache(kind.storage, name_space, ref.name);
    if (entry) add(*entry);
  } else if (!ref.fault.empty()) {
    return fail(ref.fault);
  } else if (ref.selector) {
    // Only what is selected is read as a whole; its labels are known without that.
    ForEachSelected(kind.storage, name_space, *ref.selector, add);
  } else {
    return fail("one of name or selector must be provided");
  }
  if (lacks_some) {
    return fail("paramKind kind " + Printed(*policy.param_kind) +
                " not yet synced to use for admission");
  }
  if (out.empty() && ref.denies_without) {
    return fail("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return out;
}

}  // namespace skiff::apiserver
