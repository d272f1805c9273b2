#include "apiserver/rest/create.h"

#include <utility>

#include "apiserver/managed_fields/entries.h"
#include "apiserver/rest/admission_retry.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/new_object.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/respond_stored.h"
#include "apiserver/rest/write_rules.h"
#include "base/limits.h"
#include "base/maybe_task.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// One create under way. Each try starts anew from what the client gave; but nearly always the first
// one is the last, which therefore takes the object that is at hand, and others read the body
// again.
struct Creation {
  serving::ApiRequestPtr request;
  const Endpoint& endpoint;
  bool dry_run;
  size_t warned;                                // warnings that the request had before
  std::optional<object::Document> object = {};  // in the version of the request
  std::string generated = {};                   // the name, if the server chose it
  std::string prefix = {};                      // generateName
  bool drops_fields = false;  // managedFields, which made it too large for the store
  int tries = 0;
  AwaitedObject awaited = {};  // what admission lacked
  AdmissionRetry admission_retry = {};
};

Task<void> TryCreate(std::shared_ptr<Creation> creation);
void AfterRefusal(std::shared_ptr<Creation> creation, Status refused);

// The object that the client gave, with its owners.
Result<object::Document> Read(Creation& creation) {
  serving::ApiRequest& request = *creation.request;
  const Endpoint& endpoint = creation.endpoint;
  // Warnings of a former try are told once.
  request.warnings.resize(creation.warned);
  SKIFF_ASSIGN_OR_RETURN(
      object::Document object,
      ReadBody(request,
               {endpoint.resource->kind, endpoint.resource->version->desc->api_version,
                endpoint.resource->kind_name},
               endpoint.context->defaults));
  // Nobody owns what FillMetaForCreate() takes away.
  for (const std::string_view name : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    MetaOf(object).Erase(name);
  }
  DropDuplicateOwners(object, false, request.warnings);
  TrackWrite(request, endpoint, object::Document::OfType(endpoint.resource->kind), object);
  if (creation.drops_fields) EraseManagedFields(object);
  if (endpoint.resource->namespaced) {
    SKIFF_RETURN_IF_ERROR(TakeNamespace(endpoint, request.info.name_space, object));
  }
  return object;
}

// The object as it will be stored.
Task<Result<Change>> Prepare(Creation& creation) {
  if (!creation.object) {
    SKIFF_CO_ASSIGN_OR_RETURN(creation.object, Read(creation));
  }
  creation.awaited = creation.admission_retry.Begin();
  const NewObjectOptions options{creation.dry_run, &creation.awaited, &creation.generated};
  object::Document object = *std::exchange(creation.object, std::nullopt);
  co_return co_await PrepareNew(*creation.request, creation.endpoint, std::move(object), options);
}

// There is an object of that name. Whether it is about to go, and whether the name was the server's
// choice, decides what a client does next.
Status Taken(const Creation& creation, std::string_view name, const CurrentObject& current) {
  Status taken = AlreadyExists(*creation.endpoint.resource, name);
  if (!creation.prefix.empty()) {
    taken.SetMessage(taken.message() +
                     ", the server was not able to generate a unique name for the object");
    taken.SetRetryAfterSeconds(1);
  }
  if (Result<object::Document> object = current.Decode(); object && MetaOf(*object).deleting()) {
    taken.SetMessage("object is being deleted: " + taken.message());
  }
  return taken;
}

void AfterCreate(const std::shared_ptr<Creation>& creation, Result<Changed> changed) {
  serving::ApiRequest& request = *creation->request;
  if (!changed) {
    const bool taken = changed.error().reason() == StatusReason::kAlreadyExists;
    if (taken && !creation->generated.empty() &&
        ++creation->tries < limits::kMaxGenerateNameTries) {
      creation->generated.clear();
      return Detach(TryCreate(creation));
    }
    // What is too large for the store is tried once more without its managedFields.
    if (changed.error().reason() == StatusReason::kRequestEntityTooLarge &&
        !std::exchange(creation->drops_fields, true)) {
      return Detach(TryCreate(creation));
    }
    return serving::RespondError(request, changed.error());
  }
  RespondStored(request, creation->endpoint, 201, changed->bytes,
                creation->dry_run ? store::Revision{} : changed->revision);
}

// Prepares the object once more, for the change that is under way under that name.
Task<Result<Change>> PrepareAgain(Creation& creation, std::string_view name) {
  SKIFF_CO_ASSIGN_OR_RETURN(Change change, co_await Prepare(creation));
  // What its writer and webhooks call it is the same for each try; a webhook that has changed its
  // mind meanwhile is one that others got ahead of.
  if (MetaOf(change.object).name() != name) {
    co_return std::unexpected(ObjectChanged(*creation.endpoint.resource, name));
  }
  co_return change;
}

Task<void> TryCreate(std::shared_ptr<Creation> creation) {
  const Endpoint& endpoint = creation->endpoint;
  Result<Change> first = co_await Prepare(*creation);
  if (!first) co_return AfterRefusal(std::move(creation), std::move(first).error());
  const std::string name(MetaOf(first->object).name());
  ObjectChange change;
  change.storage = endpoint.storage;
  change.name_space = endpoint.resource->namespaced ? creation->request->info.name_space : "";
  change.name = name;
  change.dry_run = creation->dry_run;
  change.assume_absent = !creation->dry_run;
  change.only_creates = true;
  change.version = endpoint.resource->kind;
  change.post = [creation](std::move_only_function<void()> task) {
    creation->request->responder.Post(std::move(task));
  };
  change.decide = [creation, name, prepared = std::optional<Change>(std::move(*first))](
                      const CurrentObject* current) mutable -> MaybeTask<Result<Change>> {
    if (current != nullptr) return std::unexpected(Taken(*creation, name, *current));
    if (prepared) return *std::exchange(prepared, std::nullopt);
    return PrepareAgain(*creation, name);
  };
  ChangeObject(std::move(change),
               [creation](Result<Changed> changed) { AfterCreate(creation, std::move(changed)); });
}

// Admission may have refused only for lack of something that is about to be there.
void AfterRefusal(std::shared_ptr<Creation> creation, Status refused) {
  Creation& ref = *creation;
  if (!ref.admission_retry.IsWorthRetrying(ref.awaited))
    return serving::RespondError(*ref.request, refused);
  ref.admission_retry.AwaitObject(
      *ref.endpoint.context, ref.request->responder, [creation] { Detach(TryCreate(creation)); },
      [creation, refused = std::move(refused)] {
        serving::RespondError(*creation->request, refused);
      });
}

}  // namespace

void HandleCreate(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  serving::ApiRequest& ref = *request;
  const auto format = serving::NegotiateOutput(ref, serving::ResponseKind::kObject);
  if (!format) return serving::RespondError(ref, format.error());
  const Result<bool> dry_run = CheckWriteOptions(ref);
  if (!dry_run) return serving::RespondError(ref, dry_run.error());
  const size_t warned = ref.warnings.size();
  auto creation =
      std::make_shared<Creation>(Creation{std::move(request), endpoint, *dry_run, warned});
  Result<object::Document> object = Read(*creation);
  if (!object) return serving::RespondError(ref, object.error());
  creation->prefix = MetaOf(*object).Text("generateName");
  creation->object = std::move(*object);
  Detach(TryCreate(std::move(creation)));
}

}  // namespace skiff::apiserver
