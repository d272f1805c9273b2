#include "apiserver/rest/delete_object.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "object/object_errors.h"

namespace skiff::apiserver {
namespace {

Result<void> CheckPreconditions(const Deletion& deletion, const MetaOf& meta) {
  const DeleteOptions& options = deletion.options;
  const object::ResourceDesc& resource = *deletion.endpoint.resource;
  const std::string_view group = resource.version->desc->group;
  // Namespaces have their own words for it; the others name the kind instead of the resource, and
  // events of both groups are one.
  const bool is_namespace = group.empty() && resource.name == "namespaces";
  const auto refuse = [&](const std::string& what, const std::string& wanted, std::string_view is,
                          const std::string& why) -> Result<void> {
    const std::string found(is);
    if (is_namespace) {
      return std::unexpected(Conflict(resource, deletion.name,
                                      "Precondition failed: " + what + " in precondition: " +
                                          wanted + ", " + what + " in object meta: " + found));
    }
    return std::unexpected(object::ConflictingObject(
        group == "events.k8s.io" ? "" : group, resource.kind_name, deletion.name,
        "the " + what + " in the precondition (" + wanted + ") does not match the " + what +
            " in record (" + found + "). The object might have been " + why));
  };
  if (!options.uid.empty() && options.uid != meta.uid()) {
    return refuse("UID", options.uid, meta.uid(), "deleted and then recreated");
  }
  if (!options.resource_version.empty() && options.resource_version != meta.resource_version()) {
    return refuse("ResourceVersion", options.resource_version, meta.resource_version(), "modified");
  }
  return {};
}

// The grace period that an object has which is on its way out already; 0: none.
int64_t GraceLeft(const object::StorageDesc& storage, const MetaOf& meta) {
  if (!storage.graceful || !meta.deleting()) return 0;
  const int64_t left = meta.grace_period_seconds().value_or(0);
  return left < 0 ? 1 : left;
}

// A deletion can only hasten one that is under way, to as many seconds; any other one changes
// nothing.
std::optional<int64_t> Hastened(const DeleteOptions& options, int64_t left) {
  if (!options.grace_period_seconds) return std::nullopt;
  const int64_t wanted = *options.grace_period_seconds < 0 ? 1 : *options.grace_period_seconds;
  return wanted < left ? std::optional(wanted) : std::nullopt;
}

// Which of the finalizers of garbage collection the object gets or loses.
void SetPropagation(const DeleteOptions& options, const object::StorageDesc& storage,
                    MetaOf& meta) {
  if (storage.propagation == object::DeletePropagation::kUnsupported) return;
  std::string propagation = options.propagation;
  if (options.orphan_dependents) propagation = *options.orphan_dependents ? "Orphan" : "Background";
  if (propagation.empty()) {
    // What is set already stays; else the resource has its own way.
    if (meta.HasFinalizer("orphan") || meta.HasFinalizer("foregroundDeletion")) return;
    propagation =
        storage.propagation == object::DeletePropagation::kOrphan ? "Orphan" : "Background";
  }
  meta.RemoveFinalizer("orphan");
  meta.RemoveFinalizer("foregroundDeletion");
  if (propagation == "Orphan") meta.AddFinalizer("orphan");
  if (propagation == "Foreground") meta.AddFinalizer("foregroundDeletion");
}

// The object is on its way out, `grace` seconds from now; a second deletion can only hasten it.
void MarkDeleted(object::Document& object, int64_t grace, object::Timestamp now) {
  MetaOf meta(object);
  if (!meta.deleting()) {
    meta.SetDeletionTimestamp({now.seconds + grace, 0});
    meta.SetGracePeriodSeconds(grace);
    if (meta.generation() > 0) meta.SetGeneration(meta.generation() + 1);
    return;
  }
  const int64_t before = meta.grace_period_seconds().value_or(0);
  if (grace >= before) return;
  const int64_t began = meta.deletion_timestamp().value_or(now).seconds - before;
  meta.SetDeletionTimestamp({std::max(now.seconds, began + grace), 0});
  // Time that is up already still leaves the last word to whoever runs the object.
  if (began + grace < now.seconds) grace = std::min<int64_t>(grace, 1);
  meta.SetGracePeriodSeconds(grace);
}

Task<Result<void>> Admit(Deletion& deletion, object::Document& object, object::Timestamp now,
                         store::Transaction& transaction) {
  if (deletion.admit) co_return co_await deletion.admit(transaction);
  RestContext& context = *deletion.endpoint.context;
  if (context.admission == nullptr || deletion.request == nullptr) co_return Result<void>();
  const std::shared_ptr<RememberedConversions> conversions =
      ConversionsFor(*deletion.request, deletion.endpoint);
  AdmissionRequest admission{.operation = AdmissionOperation::kDelete,
                             .resource = *deletion.endpoint.resource,
                             .subresource = {},
                             .name_space = deletion.name_space,
                             .name = deletion.of_collection ? std::string_view() : deletion.name,
                             .user = deletion.request->user,
                             .now = now,
                             .random = context.random,
                             .dry_run = deletion.options.dry_run,
                             .old = &object,
                             .delete_options = &deletion.options,
                             .transaction = transaction,
                             .warnings = deletion.request->warnings,
                             .origin = deletion.request.get(),
                             .conversions = conversions.get()};
  SKIFF_CO_RETURN_IF_ERROR(co_await context.admission->Mutate(admission));
  co_return co_await context.admission->Validate(admission);
}

// Nothing is asked of an object that cannot be read: neither preconditions nor finalizers, nor
// admission, which would want to see it.
Result<Change> DecideUnseen(const Deletion& deletion, const CurrentObject* current) {
  const object::ResourceDesc& resource = *deletion.endpoint.resource;
  if (current == nullptr || !current->unreadable) {
    return std::unexpected(UnreadableDeletionRefused(
        resource.name, resource.version->desc->group, deletion.name,
        "is exclusively used to delete corrupt object(s), try again by removing this option"));
  }
  Change change;
  change.kind = Change::Kind::kRemove;
  return change;
}

Task<Result<Change>> Decide(Deletion& deletion, const CurrentObject* current) {
  const Endpoint& endpoint = deletion.endpoint;
  if (deletion.options.unreadable) co_return DecideUnseen(deletion, current);
  if (current == nullptr) co_return std::unexpected(NotFound(*endpoint.resource, deletion.name));
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document object, current->Decode());
  RestContext& context = *endpoint.context;
  const object::Timestamp now = NowOf(context.clock);
  Change change;
  WriteContext write{*endpoint.resource,
                     {},
                     now,
                     context.random,
                     deletion.request != nullptr ? &deletion.request->user : nullptr,
                     change.also,
                     context.settings,
                     deletion.options.dry_run};
  MetaOf meta(object);
  SKIFF_CO_RETURN_IF_ERROR(CheckPreconditions(deletion, meta));
  const int64_t left = GraceLeft(endpoint.storage->desc(), meta);
  const std::optional<int64_t> hastened = Hastened(deletion.options, left);
  if (left > 0 && !hastened) co_return change;
  SKIFF_CO_RETURN_IF_ERROR(co_await Admit(deletion, object, now, change.also));
  if (deletion.first) SKIFF_CO_RETURN_IF_ERROR(deletion.first(write, object));
  SKIFF_CO_ASSIGN_OR_RETURN(const bool kept,
                            endpoint.behaviour->KeepsOnDelete(write, deletion.options, object));
  if (!kept) {
    if (endpoint.context->garbage_collector) {
      SetPropagation(deletion.options, endpoint.storage->desc(), meta);
    }
    int64_t grace = 0;
    if (left > 0) {
      grace = *hastened;
    } else if (endpoint.storage->desc().graceful && !meta.deleting()) {
      grace = endpoint.behaviour->GracePeriodSeconds(deletion.options, object);
    }
    if (grace == 0 && meta.finalizer_count() == 0) {
      SKIFF_CO_RETURN_IF_ERROR(endpoint.behaviour->OnRemove(write, object));
      change.kind = Change::Kind::kRemove;
      // What watchers and the client see last is the object as it was marked.
      if (endpoint.storage->desc().graceful) MarkDeleted(object, 0, now);
      change.object = std::move(object);
      co_return change;
    }
    MarkDeleted(object, grace, now);
  }
  change.kind = Change::Kind::kWrite;
  change.object = std::move(object);
  co_return change;
}

}  // namespace

void DeleteObject(Deletion deletion, store::StoreCallback<Changed> done) {
  ObjectChange change;
  change.storage = deletion.endpoint.storage;
  change.name_space = deletion.name_space;
  change.name = deletion.name;
  change.dry_run = deletion.options.dry_run;
  // The server itself, which asks nobody, takes objects as they are: so those of a definition go
  // with it even where nobody converts them any more.
  if (deletion.request != nullptr) change.version = deletion.endpoint.resource->kind;
  change.removes_unreadable = deletion.options.unreadable;
  if (deletion.request != nullptr) {
    change.post = [request = deletion.request](std::move_only_function<void()> task) {
      request->responder.Post(std::move(task));
    };
  }
  change.decide = [deletion = std::move(deletion)](const CurrentObject* current) mutable {
    return Decide(deletion, current);
  };
  ChangeObject(std::move(change), std::move(done));
}

}  // namespace skiff::apiserver
