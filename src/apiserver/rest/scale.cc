#include "apiserver/rest/scale.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/managed_fields/apply_configuration.h"
#include "apiserver/managed_fields/scale_fields.h"
#include "apiserver/rest/applied_configuration.h"
#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/object_forms.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/patch_object.h"
#include "apiserver/rest/server_side_apply.h"
#include "apiserver/rest/update_object.h"
#include "apiserver/rest/write_rules.h"
#include "base/strings.h"
#include "object/json/encode.h"
#include "object/object_errors.h"
#include "object/open_kind.h"
#include "object/protobuf/envelope.h"
#include "object/selector/label_selector.h"
#include "serving/request/respond.h"
#include "views/autoscaling/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kApiVersion = "autoscaling/v1";
// Of a scale whose object says nothing of replicas, until its writer does.
constexpr int32_t kNoReplicas = std::numeric_limits<int32_t>::min();
ExpectedKind ScaleKind() { return {views::autoscaling_v1::Scale::Type(), kApiVersion, "Scale"}; }

// The names of a path: ".spec.replicas".
std::vector<std::string_view> NamesOf(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    if (path.starts_with('.')) path.remove_prefix(1);
    const size_t end = std::min(path.find('.'), path.size());
    out.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return out;
}

// Where a resource has what its scale shows.
object::ScalePaths PathsOf(const object::ResourceDesc& resource) {
  if (resource.kind->open != nullptr && resource.kind->open->Scale() != nullptr) {
    return *resource.kind->open->Scale();
  }
  return {".spec.replicas", ".status.replicas", ".spec.selector"};
}

const object::Value* ValueAt(const object::Value& root, std::string_view path) {
  const object::Value* at = &root;
  for (const std::string_view name : NamesOf(path)) {
    if (!at->is_map() && !at->is_object()) return nullptr;
    at = at->Find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<int64_t> IntAt(const object::Value& root, std::string_view path) {
  const object::Value* found = ValueAt(root, path);
  if (found == nullptr || found->tag() != object::Tag::kInt) return std::nullopt;
  return found->AsInt();
}

// The selector of the workload as text; a map of labels for replication controllers.
std::string SelectorText(const object::Value& root, std::string_view path) {
  const object::Value* selector = path.empty() ? nullptr : ValueAt(root, path);
  if (selector == nullptr) return {};
  if (selector->is_string()) return std::string(selector->AsText());
  if (selector->is_map()) {
    std::string out;
    for (const object::MapEntry& entry : selector->entries()) {
      if (!out.empty()) out += ',';
      out += std::string(entry.key) + "=" + std::string(entry.value.AsText());
    }
    return out;
  }
  const Result<object::LabelSelector> parsed = object::LabelSelector::FromValue(selector);
  return parsed ? parsed->ToString() : std::string();
}

// What the scale shows, without its managedFields.
object::Document ScaleOf(object::Document& workload, const object::ScalePaths& paths) {
  object::Document out = views::autoscaling_v1::Scale::New();
  const MetaOf from(workload);
  MetaOf to(out);
  for (const std::string_view name :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    to.Take(name, from);
  }
  views::autoscaling_v1::MutableScale scale(out);
  scale.mutable_spec().set_replicas(
      static_cast<int32_t>(IntAt(workload.root(), paths.spec_replicas).value_or(0)));
  auto status = scale.mutable_status();
  status.set_replicas(
      static_cast<int32_t>(IntAt(workload.root(), paths.status_replicas).value_or(0)));
  status.set_selector(SelectorText(workload.root(), paths.label_selector));
  return out;
}

void RespondScale(serving::ApiRequest& request, const Endpoint& endpoint, const SharedBytes& bytes,
                  store::Revision revision) {
  Result<object::Document> workload = endpoint.view->Decode(bytes.view(), revision);
  if (!workload) return serving::RespondError(request, workload.error());
  const object::ScalePaths paths = PathsOf(*endpoint.resource);
  if (workload->type()->open != nullptr && !IntAt(workload->root(), paths.spec_replicas)) {
    return serving::RespondError(
        request,
        Status(StatusReason::kInternalError, "Internal error occurred: the spec replicas field " +
                                                 Quoted(paths.spec_replicas) + " does not exist"));
  }
  Result<serving::OutputFormat> format =
      serving::NegotiateOutput(request, serving::ResponseKind::kObject);
  if (!format) return serving::RespondError(request, format.error());
  const object::Document scale = ScaleOf(*workload, paths);
  if (format->form == serving::ObjectForm::kWhole)
    return serving::RespondObject(request, 200, scale.root());
  static const LazyColumns columns(object::FindColumns(views::autoscaling_v1::Scale::Type()));
  Endpoint shown = endpoint;
  shown.view = nullptr;
  shown.columns = &columns;
  std::string stored;
  object::EncodeStorage(scale.root(), &stored);
  Result<SharedBytes> body = EncodeInForm(request, shown, *format, {stored, revision});
  if (!body) return serving::RespondError(request, body.error());
  serving::RespondBytes(request, 200, format->content_type(), std::move(*body));
}

// Maps on the way to them are made where the kind is open.
Result<void> SetReplicas(std::string_view path, int32_t replicas, object::Document& workload) {
  std::vector<std::string_view> names = NamesOf(path);
  object::Value* at = &workload.root();
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    object::Value* next = at->is_map() || at->is_object() ? at->Find(names[i]) : nullptr;
    if (next == nullptr && at->is_map()) {
      next = &at->Set(workload.arena(), names[i], object::Value::EmptyMap());
    }
    if (next == nullptr) return Fail(StatusReason::kInternalError, "the workload has no spec");
    at = next;
  }
  if (!at->is_map() && !at->is_object()) {
    return Fail(StatusReason::kInternalError, "the workload has no spec");
  }
  at->Set(workload.arena(), names.back(), object::Value::Int(replicas));
  return {};
}

// The workload with the replicas of the scale. What else the scale says of it must be so.
Result<object::Document> WithScale(const object::ResourceDesc& resource, object::Document& workload,
                                   object::Document& scale) {
  const views::autoscaling_v1::Scale view(scale);
  const int32_t replicas = view.spec().replicas();
  const std::string name(MetaOf(workload).name());
  if (replicas < 0) {
    return std::unexpected(Invalid("Scale", "autoscaling", name,
                                   {InvalidField("spec.replicas", std::to_string(replicas),
                                                 "must be greater than or equal to 0")}));
  }
  if (const std::string_view uid = MetaOf(scale).uid();
      !uid.empty() && uid != MetaOf(workload).uid()) {
    return std::unexpected(object::ConflictingObject(
        resource.version->desc->group, std::string(resource.name) + "/scale", name,
        "Precondition failed: UID in precondition: " + std::string(uid) +
            ", UID in object meta: " + std::string(MetaOf(workload).uid())));
  }
  object::Document out = workload.Copy();
  SKIFF_RETURN_IF_ERROR(SetReplicas(PathsOf(resource).spec_replicas, replicas, out));
  // A scale that names no state of an open kind is of the current one.
  const std::string_view version = MetaOf(scale).resource_version();
  if (!version.empty() || resource.kind->open == nullptr) {
    MetaOf(out).SetText("resourceVersion", version);
  }
  return out;
}

// From the scale of a workload to the scale that a request makes of it, with its managedFields.
using ScaleChange =
    std::function<Result<object::Document>(const FieldWriter&, const object::Document& current)>;

Result<object::Document> ChangeScale(const serving::ApiRequest& request, const Endpoint& endpoint,
                                     const ScaleChange& change, object::Document& workload) {
  const object::ScalePaths paths = PathsOf(*endpoint.resource);
  const std::vector<std::string_view> replicas = NamesOf(paths.spec_replicas);
  object::Document current = ScaleOf(workload, paths);
  // What an open kind does not say its scale cannot keep.
  const bool lacks_replicas =
      endpoint.resource->kind->open != nullptr && !IntAt(workload.root(), paths.spec_replicas);
  if (lacks_replicas) {
    views::autoscaling_v1::MutableScale(current).mutable_spec().set_replicas(kNoReplicas);
  }
  ManagedFieldsToScale(workload, replicas, current);
  const RequestWriter writer(request, endpoint);
  SKIFF_ASSIGN_OR_RETURN(object::Document scale, change(writer.For(kApiVersion), current));
  SKIFF_RETURN_IF_ERROR(TakeNamespace(endpoint, request.info.name_space, scale));
  SKIFF_RETURN_IF_ERROR(CheckName(MetaOf(scale).name(), request.info.name));
  if (lacks_replicas && views::autoscaling_v1::Scale(scale).spec().replicas() == kNoReplicas) {
    return Fail(StatusReason::kBadRequest,
                "the spec replicas field " + Quoted(paths.spec_replicas) + " cannot be empty");
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document out, WithScale(*endpoint.resource, workload, scale));
  ManagedFieldsFromScale(scale, replicas, out);
  return out;
}

// The body of a PUT, or a patch, or a configuration to apply.
Result<ScaleChange> ReadScaleChange(serving::ApiRequest& request, const Endpoint& endpoint) {
  const DefaultPlans& defaults = endpoint.context->defaults;
  if (request.info.verb == "update") {
    SKIFF_ASSIGN_OR_RETURN(object::Document body, ReadBody(request, ScaleKind(), defaults));
    return [scale = std::make_shared<object::Document>(std::move(body))](
               const FieldWriter& writer,
               const object::Document& current) -> Result<object::Document> {
      object::Document out = scale->Copy();
      TrackUpdate(writer, current, out);
      return out;
    };
  }
  if (IsApply(request)) {
    SKIFF_ASSIGN_OR_RETURN(AppliedConfiguration applied, ReadConfiguration(request));
    return
        [&request, &defaults, applied = std::make_shared<AppliedConfiguration>(std::move(applied))](
            const FieldWriter& writer,
            const object::Document& current) -> Result<object::Document> {
          SKIFF_ASSIGN_OR_RETURN(
              object::Document out,
              ApplyConfiguration(defaults, writer, current, applied->config, IsForced(request)));
          SKIFF_RETURN_IF_ERROR(ReportDuplicates(request, *applied));
          return out;
        };
  }
  SKIFF_ASSIGN_OR_RETURN(const ObjectPatch patch, ReadPatch(request, *endpoint.resource->kind));
  return [&request, &defaults, patch](const FieldWriter& writer,
                                      const object::Document& current) -> Result<object::Document> {
    SKIFF_ASSIGN_OR_RETURN(object::Document out,
                           ApplyPatch(request, patch, current.root(), ScaleKind(), defaults));
    TrackUpdate(writer, current, out);
    return out;
  };
}

void GetScale(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  store::CacheGetRequest get{request->info.name_space, request->info.name,
                             std::string(request->query.Get("resourceVersion"))};
  endpoint.storage->cache().Get(std::move(get), [request = std::move(request), &endpoint](
                                                    Result<store::CacheGetReply> reply) mutable {
    if (!reply) return serving::RespondError(*request, reply.error());
    if (!reply->entry) {
      return serving::RespondError(*request, NotFound(*endpoint.resource, request->info.name));
    }
    if (const auto readable = endpoint.storage->CheckReadable(*reply->entry); !readable) {
      return serving::RespondError(*request, readable.error());
    }
    if (endpoint.converter() == nullptr) {
      return RespondScale(*request, endpoint, reply->entry->value(), reply->entry->revision());
    }
    std::shared_ptr<serving::ApiRequest> shared = std::move(request);
    ConvertOne(shared, endpoint, reply->entry->value(), ObjectConverter::Memory::kIsNotAsked,
               [shared, &endpoint, revision = reply->entry->revision()](SharedBytes converted) {
                 RespondScale(*shared, endpoint, converted, revision);
               });
  });
}

// Admission sees scales, as clients do.
class ScaleView final : public AdmissionView {
 public:
  explicit ScaleView(const object::ResourceDesc& resource) : resource_(resource) {}
  object::Document Show(object::Document& workload) const override {
    return ScaleOf(workload, PathsOf(resource_));
  }
  Result<object::Document> Take(object::Document& workload,
                                object::Document& scale) const override {
    return WithScale(resource_, workload, scale);
  }

 private:
  const object::ResourceDesc& resource_;
};

}  // namespace

void HandleScale(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  if (request->info.verb == "get") return GetScale(std::move(request), endpoint);
  serving::ApiRequest& ref = *request;
  const Result<bool> dry_run = CheckWriteOptions(ref);
  if (!dry_run) return serving::RespondError(ref, dry_run.error());
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = *dry_run;
  update.may_be_unconditional = endpoint.storage->desc().unconditional_update;
  update.respond = [&endpoint](serving::ApiRequest& answered, const Changed& changed) {
    RespondScale(answered, endpoint, changed.bytes, changed.revision);
  };
  update.tracks_fields = true;
  update.view = std::make_shared<ScaleView>(*endpoint.resource);
  Result<ScaleChange> change = ReadScaleChange(ref, endpoint);
  if (!change) return serving::RespondError(ref, change.error());
  update.make_new = [&ref, &endpoint, change = std::move(*change)](object::Document* workload) {
    return ChangeScale(ref, endpoint, change, *workload);
  };
  RunUpdate(std::move(update));
}

}  // namespace skiff::apiserver
