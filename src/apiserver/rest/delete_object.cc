#include "apiserver/rest/delete_object.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"

namespace skiff {
namespace {

Result<void> CheckPreconditions(const Deletion& deletion, const MetaOf& meta) {
  const DeleteOptions& options = deletion.options;
  const ResourceDesc& resource = *deletion.endpoint.resource;
  if (!options.uid.empty() && options.uid != meta.uid()) {
    return std::unexpected(Conflict(resource, deletion.name,
                                    "Precondition failed: UID in precondition: " + options.uid +
                                        ", UID in object meta: " + std::string(meta.uid())));
  }
  if (!options.resource_version.empty() && options.resource_version != meta.resource_version()) {
    return std::unexpected(Conflict(
        resource, deletion.name,
        "the ResourceVersion in the precondition (" + options.resource_version +
            ") does not match the ResourceVersion in record (" +
            std::string(meta.resource_version()) + "). The object might have been modified"));
  }
  return {};
}

// Which of the finalizers of garbage collection the object gets or loses.
void SetPropagation(const DeleteOptions& options, const StorageDesc& storage, MetaOf& meta) {
  if (storage.propagation == DeletePropagation::kUnsupported) return;
  std::string propagation = options.propagation;
  if (options.orphan_dependents) propagation = *options.orphan_dependents ? "Orphan" : "Background";
  if (propagation.empty()) {
    // What is set already stays; else the resource has its own way.
    if (meta.HasFinalizer("orphan") || meta.HasFinalizer("foregroundDeletion")) return;
    propagation = storage.propagation == DeletePropagation::kOrphan ? "Orphan" : "Background";
  }
  meta.RemoveFinalizer("orphan");
  meta.RemoveFinalizer("foregroundDeletion");
  if (propagation == "Orphan") meta.AddFinalizer("orphan");
  if (propagation == "Foreground") meta.AddFinalizer("foregroundDeletion");
}

// The object is on its way out, `grace` seconds from now; a second deletion can only hasten it.
void MarkDeleted(Document& object, int64_t grace, Timestamp now) {
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
  meta.SetGracePeriodSeconds(grace);
}

Result<void> Admit(Deletion& deletion, Document& object, Timestamp now, Transaction& transaction) {
  if (deletion.admit) return deletion.admit(transaction);
  RestContext& context = *deletion.endpoint.context;
  if (context.admission == nullptr || deletion.user == nullptr) return {};
  std::vector<std::string> warnings;
  AdmissionRequest admission{
      .operation = AdmissionOperation::kDelete,
      .resource = *deletion.endpoint.resource,
      .subresource = {},
      .name_space = deletion.name_space,
      .name = deletion.name,
      .user = *deletion.user,
      .now = now,
      .random = context.random,
      .dry_run = deletion.options.dry_run,
      .old = &object,
      .delete_options = &deletion.options,
      .transaction = transaction,
      .warnings = deletion.warnings != nullptr ? *deletion.warnings : warnings};
  SKIFF_RETURN_IF_ERROR(context.admission->Mutate(admission));
  return context.admission->Validate(admission);
}

Result<Change> Decide(Deletion& deletion, const CurrentObject* current) {
  const Endpoint& endpoint = deletion.endpoint;
  if (current == nullptr) return std::unexpected(NotFound(*endpoint.resource, deletion.name));
  SKIFF_ASSIGN_OR_RETURN(Document object, current->Decode());
  RestContext& context = *endpoint.context;
  const Timestamp now = NowOf(context.clock);
  Change change;
  WriteContext write{*endpoint.resource,      {}, now, context.random, deletion.user, change.also,
                     deletion.options.dry_run};
  MetaOf meta(object);
  SKIFF_RETURN_IF_ERROR(CheckPreconditions(deletion, meta));
  SKIFF_RETURN_IF_ERROR(Admit(deletion, object, now, change.also));
  if (deletion.first) SKIFF_RETURN_IF_ERROR(deletion.first(write, object));
  SKIFF_ASSIGN_OR_RETURN(const bool kept,
                         endpoint.behaviour->KeepsOnDelete(write, deletion.options, object));
  if (!kept) {
    const bool was_deleting = meta.deleting();
    if (endpoint.context->garbage_collector) {
      SetPropagation(deletion.options, endpoint.storage->desc(), meta);
    }
    int64_t grace = 0;
    if (endpoint.storage->desc().graceful) {
      grace = endpoint.behaviour->GracePeriodSeconds(deletion.options, object);
      if (was_deleting) grace = std::min(grace, meta.grace_period_seconds().value_or(0));
    }
    if (grace == 0 && meta.finalizer_count() == 0) {
      SKIFF_RETURN_IF_ERROR(endpoint.behaviour->OnRemove(write, object));
      change.kind = Change::Kind::kRemove;
      // What watchers and the client see last is the object as it was marked.
      if (endpoint.storage->desc().graceful) MarkDeleted(object, 0, now);
      change.object = std::move(object);
      return change;
    }
    MarkDeleted(object, grace, now);
  }
  change.kind = Change::Kind::kWrite;
  change.object = std::move(object);
  return change;
}

}  // namespace

void DeleteObject(Deletion deletion, StoreCallback<Changed> done) {
  ObjectChange change;
  change.storage = deletion.endpoint.storage;
  change.name_space = deletion.name_space;
  change.name = deletion.name;
  change.dry_run = deletion.options.dry_run;
  change.post = deletion.post;
  change.decide = [deletion = std::move(deletion)](const CurrentObject* current) mutable {
    return Decide(deletion, current);
  };
  ChangeObject(std::move(change), std::move(done));
}

}  // namespace skiff
