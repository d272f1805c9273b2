// POST to a collection.
#include <utility>

#include "apiserver/managed_fields/entries.h"
#include "apiserver/request/respond.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/new_object.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"
#include "base/limits.h"

namespace skiff {
namespace {

// One create under way: the object as the client gave it, from which each try starts anew, since
// the name may be a generated one that is taken.
struct Creation {
  ApiRequestPtr request;
  const Endpoint& endpoint;
  Document object;  // in the version of the request
  bool dry_run;
  bool names_itself;
  size_t warned;  // warnings that the request had before
  int tries = 0;
};

void TryCreate(std::shared_ptr<Creation> creation);

// The object as it will be stored. Fills `name` with the one that it got.
Result<Change> Prepare(Creation& creation, std::string& name) {
  // The warnings of a try whose name was taken are told once.
  creation.request->warnings.resize(creation.warned);
  SKIFF_ASSIGN_OR_RETURN(Change change, PrepareNew(*creation.request, creation.endpoint,
                                                   creation.object.Copy(), creation.dry_run));
  name = MetaOf(change.object).name();
  return change;
}

void AfterCreate(const std::shared_ptr<Creation>& creation, Result<Changed> changed) {
  ApiRequest& request = *creation->request;
  if (!changed) {
    const bool taken = changed.error().reason() == StatusReason::kAlreadyExists;
    if (taken && !creation->names_itself && ++creation->tries < limits::kMaxGenerateNameTries) {
      return TryCreate(creation);
    }
    // What is too large for the store is tried once more without its managedFields.
    if (changed.error().reason() == StatusReason::kRequestEntityTooLarge &&
        ManagedFieldsOf(creation->object) != nullptr) {
      EraseManagedFields(creation->object);
      return TryCreate(creation);
    }
    return RespondError(request, changed.error());
  }
  RespondStored(request, creation->endpoint, 201, changed->bytes,
                creation->dry_run ? Revision{} : changed->revision);
}

void TryCreate(std::shared_ptr<Creation> creation) {
  const Endpoint& endpoint = creation->endpoint;
  std::string name;
  Result<Change> first = Prepare(*creation, name);
  if (!first) return RespondError(*creation->request, first.error());
  ObjectChange change;
  change.storage = endpoint.storage;
  change.name_space = endpoint.resource->namespaced ? creation->request->info.name_space : "";
  change.name = name;
  change.dry_run = creation->dry_run;
  change.assume_absent = !creation->dry_run;
  change.post = [creation](std::move_only_function<void()> task) {
    creation->request->responder.Post(std::move(task));
  };
  change.decide = [creation, name, prepared = std::optional<Change>(std::move(*first))](
                      const CurrentObject* current) mutable -> Result<Change> {
    if (current != nullptr) {
      return std::unexpected(AlreadyExists(*creation->endpoint.resource, name));
    }
    if (prepared) return *std::exchange(prepared, std::nullopt);
    std::string again;
    return Prepare(*creation, again);
  };
  ChangeObject(std::move(change),
               [creation](Result<Changed> changed) { AfterCreate(creation, std::move(changed)); });
}

Status NamespaceNotFound(const Endpoint& endpoint, std::string_view name) {
  return NotFound(*endpoint.context->namespaces->hub().resource, name);
}

// Whether the namespace takes new objects.
Result<void> CheckNamespace(const Endpoint& endpoint, std::string_view name,
                            const CacheGetReply& reply, Document& object) {
  if (!reply.entry) return std::unexpected(NamespaceNotFound(endpoint, name));
  SKIFF_ASSIGN_OR_RETURN(Document name_space, DecodeStored(reply.entry->value().view(), {}));
  if (!MetaOf(name_space).deleting()) return {};
  Status refused = Forbidden(*endpoint.resource, MetaOf(object).name(),
                             "unable to create new content in namespace " + std::string(name) +
                                 " because it is being terminated");
  refused.AddCause({"NamespaceTerminating",
                    "namespace " + std::string(name) + " is being terminated",
                    "metadata.namespace"});
  return std::unexpected(std::move(refused));
}

void CreateInNamespace(std::shared_ptr<Creation> creation) {
  const std::string name = creation->request->info.name_space;
  creation->endpoint.context->namespaces->cache().Get(
      {"", name, ""}, [creation, name](Result<CacheGetReply> reply) {
        if (!reply) return RespondError(*creation->request, reply.error());
        const Result<void> open =
            CheckNamespace(creation->endpoint, name, *reply, creation->object);
        if (!open) return RespondError(*creation->request, open.error());
        TryCreate(creation);
      });
}

}  // namespace

void HandleCreate(ApiRequestPtr request, const Endpoint& endpoint) {
  ApiRequest& ref = *request;
  const auto format = NegotiateOutput(ref, Answered::kObject);
  if (!format) return RespondError(ref, format.error());
  const Result<bool> dry_run = IsDryRun(ref);
  if (!dry_run) return RespondError(ref, dry_run.error());
  Result<Document> object =
      ReadBody(ref, {endpoint.resource->kind, endpoint.resource->version->desc->api_version,
                     endpoint.resource->kind_name});
  if (!object) return RespondError(ref, object.error());
  const Result<void> manager = CheckFieldManager(ref, "CreateOptions");
  if (!manager) return RespondError(ref, manager.error());
  // Nobody owns what FillMetaForCreate() takes away.
  for (const std::string_view name : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    MetaOf(*object).Erase(name);
  }
  TrackWrite(ref, endpoint, Document::OfType(endpoint.resource->kind), *object);
  const bool names_itself = !MetaOf(*object).name().empty();
  const size_t warned = ref.warnings.size();
  auto creation = std::make_shared<Creation>(
      Creation{std::move(request), endpoint, std::move(*object), *dry_run, names_itself, warned});
  if (!endpoint.resource->namespaced) return TryCreate(std::move(creation));
  const Result<void> agree = TakeNamespace(endpoint, ref.info.name_space, creation->object);
  if (!agree) return RespondError(ref, agree.error());
  CreateInNamespace(std::move(creation));
}

}  // namespace skiff
