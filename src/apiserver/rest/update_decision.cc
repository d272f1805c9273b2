#include "apiserver/rest/update_decision.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/convert/convert.h"
#include "apiserver/managed_fields/entries.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/new_object.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"

namespace skiff::apiserver {

Task<Result<Change>> UpdateDecision::Decide(const CurrentObject* current) {
  awaited_ = admission_retry_.Begin();
  if (current == nullptr) co_return co_await DecideForNew();
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document old, current->Decode());
  found_ = current->revision;
  Change change;
  if (IsKnownToChangeNothing(current->revision)) {
    SKIFF_CO_ASSIGN_OR_RETURN(const bool admitted, co_await AdmitUnchanged(old));
    if (admitted) co_return change;
  }
  if (update_.admit) SKIFF_CO_RETURN_IF_ERROR(co_await update_.admit(change.also));
  std::optional<object::Document> converted;
  if (old.type() != resource().kind) {
    SKIFF_CO_ASSIGN_OR_RETURN(converted, Convert(old, resource().kind));
  }
  object::Document& shown = converted ? *converted : old;
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document object, co_await MakeNew(&shown));
  SKIFF_CO_RETURN_IF_ERROR(CheckIdentity(object));
  SKIFF_CO_RETURN_IF_ERROR(CheckPreconditions(old, object));
  SKIFF_CO_RETURN_IF_ERROR(co_await TrackFields(shown, object));
  SKIFF_CO_ASSIGN_OR_RETURN(object, Convert(std::move(object), endpoint().working_type()));
  if (converted && converted->type() == endpoint().working_type()) old = std::move(*converted);

  Admission* const admission_chain = update_.admit ? nullptr : endpoint().context->admission;
  WriteContext write{resource(),
                     endpoint().subresource_name(),
                     now(),
                     endpoint().context->random,
                     &request().user,
                     change.also,
                     endpoint().context->settings,
                     update_.dry_run,
                     &request().warnings,
                     request().info.verb};
  const AdmissionView* const view = update_.view.get();
  std::optional<object::Document> seen_old;
  std::optional<object::Document> seen;
  if (view != nullptr) {
    seen_old = view->Show(old);
    seen = view->Show(object);
  }
  AdmissionRequest admission = Admit(seen_old ? *seen_old : old, seen ? *seen : object, change.also,
                                     view == nullptr ? &change.charges : nullptr);
  if (admission_chain != nullptr)
    SKIFF_CO_RETURN_IF_ERROR(co_await admission_chain->Mutate(admission));
  if (view != nullptr) {
    SKIFF_CO_ASSIGN_OR_RETURN(object, view->Take(object, *seen));
  }
  FillMetaForUpdate(old, object);
  DropDuplicateOwners(object, true, request().warnings);
  if (const auto drop = endpoint().context->drop_disabled_fields) {
    drop(endpoint().context->settings.gates, resource(), &old, object);
  }
  endpoint().storage->strategy().PrepareForUpdate(endpoint().subresource_name(), old, object);
  SKIFF_CO_RETURN_IF_ERROR(endpoint().behaviour->PrepareForUpdate(write, old, object));
  SKIFF_CO_RETURN_IF_ERROR(CheckChangedObject(endpoint(), write, old, object, request().warnings));
  if (view != nullptr) *seen = view->Show(object);
  if (admission_chain != nullptr)
    SKIFF_CO_RETURN_IF_ERROR(co_await admission_chain->Validate(admission));
  KeepTimesOfNoChange(old, object);
  const bool gone = IsGone(old, object) || endpoint().behaviour->IsFinished(write, object);
  if (gone) SKIFF_CO_RETURN_IF_ERROR(endpoint().behaviour->OnRemove(write, object));
  change.kind = gone ? Change::Kind::kRemove : Change::Kind::kWrite;
  SKIFF_CO_ASSIGN_OR_RETURN(change.object, Convert(std::move(object), endpoint().decided_type()));
  co_return change;
}

object::Timestamp UpdateDecision::now() { return NowOf(endpoint().context->clock); }

AdmissionRequest UpdateDecision::Admit(object::Document& old, object::Document& object,
                                       store::Transaction& also, WriteCharges* charges) {
  return {.operation = AdmissionOperation::kUpdate,
          .resource = resource(),
          .subresource = endpoint().subresource_name(),
          .name_space = request().info.name_space,
          .name = request().info.name,
          .user = request().user,
          .now = now(),
          .random = endpoint().context->random,
          .dry_run = update_.dry_run,
          .object = &object,
          .old = &old,
          .transaction = also,
          .warnings = request().warnings,
          .charges = charges,
          .awaited = &awaited_,
          .origin = &request(),
          .conversions = update_.conversions.get()};
}

bool UpdateDecision::IsKnownToChangeNothing(store::Revision current) {
  return update_.known_as &&
         endpoint().context->noop_applies.ChangesNothing(*update_.known_as, current);
}

Task<Result<bool>> UpdateDecision::AdmitUnchanged(object::Document& old) {
  if (endpoint().context->admission == nullptr) co_return true;
  object::Document object = old.Copy();
  store::Transaction also;
  const std::vector<std::string> warnings = request().warnings;
  AdmissionRequest admission = Admit(old, object, also);
  SKIFF_CO_RETURN_IF_ERROR(co_await endpoint().context->admission->Mutate(admission));
  if (also.writes.empty() && object::DeepEqual(old.root(), object.root())) {
    SKIFF_CO_RETURN_IF_ERROR(co_await endpoint().context->admission->Validate(admission));
    if (also.writes.empty()) co_return true;
  }
  request().warnings = warnings;
  co_return false;
}

Task<Result<object::Document>> UpdateDecision::MakeNewAwaited(object::Document* shown) {
  for (;;) {
    Result<object::Document> made = update_.make_new(shown);
    if (!update_.conversions->wants()) co_return made;
    SKIFF_CO_RETURN_IF_ERROR(co_await update_.conversions->Fetch());
  }
}

MaybeTask<Result<object::Document>> UpdateDecision::MakeNew(object::Document* shown) {
  if (update_.conversions == nullptr) return update_.make_new(shown);
  return MakeNewAwaited(shown);
}

Task<Result<void>> UpdateDecision::TrackFieldsAwaited(const object::Document& live,
                                                      object::Document& object) {
  RememberedConversions* const conversions = update_.conversions.get();
  for (;;) {
    object::Document tracked = object.Copy();
    TrackWrite(request(), endpoint(), live, tracked, conversions);
    if (!conversions->wants()) {
      object = std::move(tracked);
      co_return Result<void>();
    }
    SKIFF_CO_RETURN_IF_ERROR(co_await conversions->Fetch());
  }
}

MaybeTask<Result<void>> UpdateDecision::TrackFields(const object::Document& live,
                                                    object::Document& object) {
  if (drops_fields_) {
    EraseManagedFields(object);
  } else if (!update_.tracks_fields) {
    if (update_.conversions != nullptr) return TrackFieldsAwaited(live, object);
    TrackWrite(request(), endpoint(), live, object);
  }
  return Result<void>();
}

Task<Result<Change>> UpdateDecision::DecideForNew() {
  if (!update_.may_create) co_return std::unexpected(NotFound(resource(), request().info.name));
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document object, co_await MakeNew(nullptr));
  SKIFF_CO_RETURN_IF_ERROR(CheckIdentity(object));
  SKIFF_CO_RETURN_IF_ERROR(CheckExpectsNothing(object));
  MetaOf(object).Erase("resourceVersion");
  const object::Document nothing = object::Document::OfType(resource().kind);
  SKIFF_CO_RETURN_IF_ERROR(co_await TrackFields(nothing, object));
  if (endpoint().context->may_create) {
    SKIFF_CO_RETURN_IF_ERROR(endpoint().context->may_create(request()));
  }
  const NewObjectOptions options{update_.dry_run, &awaited_};
  SKIFF_CO_ASSIGN_OR_RETURN(Change change,
                            co_await PrepareNew(request(), endpoint(), std::move(object), options));
  // Its key is that of the URL, whatever a webhook calls it.
  SKIFF_CO_RETURN_IF_ERROR(CheckName(MetaOf(change.object).name(), request().info.name));
  co_return change;
}

Result<void> UpdateDecision::CheckExpectsNothing(object::Document& object) {
  const std::string& name = request().info.name;
  const MetaOf meta(object);
  if (update_.applies) {
    if (meta.uid().empty()) return {};
    return std::unexpected(Conflict(resource(), name,
                                    "uid mismatch: the provided object specified uid " +
                                        std::string(meta.uid()) +
                                        ", and no existing object was found"));
  }
  if (meta.uid().empty()) return {};
  return OtherUid(name, meta.uid(), {});
}

Result<void> UpdateDecision::OtherUid(std::string_view name, std::string_view wanted,
                                      std::string_view found) {
  return std::unexpected(Conflict(
      resource(), name,
      "StorageError: invalid object, Code: 4, Key: " +
          endpoint().storage->Key(request().info.name_space, name) +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
          std::string(wanted) + ", UID in object meta: " + std::string(found)));
}

Result<void> UpdateDecision::CheckIdentity(object::Document& object) {
  const MetaOf meta(object);
  SKIFF_RETURN_IF_ERROR(TakeNamespace(endpoint(), request().info.name_space, object));
  return CheckName(meta.name(), request().info.name);
}

Result<void> UpdateDecision::CheckPreconditions(object::Document& old, object::Document& object) {
  const MetaOf before(old);
  const MetaOf after(object);
  const std::string_view name = before.name();
  if (update_.uid_is_precondition && !after.uid().empty() && after.uid() != before.uid()) {
    return OtherUid(name, after.uid(), before.uid());
  }
  const std::string_view version = after.resource_version();
  if (version.empty() || version == "0") {
    if (update_.may_be_unconditional) return {};
    return std::unexpected(Invalid(
        resource().name, resource().version->desc->group, name,
        {InvalidField("metadata.resourceVersion", "0", "must be specified for an update")}));
  }
  if (version == before.resource_version()) return {};
  for (const char c : version) {
    if (c < '0' || c > '9') {
      return BadRequest("resourceVersion: Invalid value: " + object::JsonText(version) +
                        ": must be a number");
    }
  }
  return std::unexpected(ObjectChanged(resource(), name));
}

}  // namespace skiff::apiserver
