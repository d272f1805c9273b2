#include "apiserver/stored_rbac.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "base/random.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kResources[] = {"clusterroles", "clusterrolebindings", "roles",
                                           "rolebindings"};

// What a new object has and its author does not give.
void FillMeta(object::Document& object, Clock& clock, Random& random) {
  MetaOf meta(object);
  meta.SetText("uid", NewUuid(random));
  meta.value().Set(object.arena(), "creationTimestamp", object::Value::Time(NowOf(clock)));
}

}  // namespace

// Writes go out all at once; the last to be answered ends it.
struct StoredRbac::Writing {
  explicit Writing(std::move_only_function<void(Result<void>)> callback)
      : done(std::move(callback)) {}
  ~Writing() {
    if (error) {
      done(std::unexpected(std::move(*error)));
    } else {
      done({});
    }
  }

  void Note(const Result<Changed>& changed) {
    if (changed) return;
    std::lock_guard lock(mutex);
    if (!error) error = changed.error();
  }

  std::mutex mutex;
  std::optional<Status> error;
  std::move_only_function<void(Result<void>)> done;
};

ResourceStorage* StoredRbac::StorageOf(const object::Document& object) const {
  for (const std::string_view name : kResources) {
    const object::ResourceDesc* resource = object::FindPreferredResource(kGroup, name);
    if (resource->kind == object.type()) return storages_.Find(resource->hub);
  }
  return nullptr;
}

void StoredRbac::List(std::move_only_function<void(Result<std::vector<object::Document>>)> done) {
  std::vector<object::Document> out;
  std::optional<Status> failed;
  for (const std::string_view name : kResources) {
    ResourceStorage* storage = storages_.Find(object::FindPreferredResource(kGroup, name)->hub);
    // The caches are filled before anything is reconciled, so that they answer at once.
    // One that cannot be read is found out about when it is written.
    storage->cache().List({.resource_version = "0", .without_damaged = true},
                          [&](Result<store::ListReply> reply) {
                            if (!reply) {
                              failed = reply.error();
                              return;
                            }
                            for (store::ListCursor at = reply->Entries();
                                 const store::CacheEntry* entry = at.Next();) {
                              Result<object::Document> object =
                                  DecodeStored(entry->value().view(), entry->revision());
                              if (object) out.push_back(std::move(*object));
                            }
                          });
  }
  if (failed) return done(std::unexpected(std::move(*failed)));
  done(std::move(out));
}

void StoredRbac::Create(object::Document object, std::shared_ptr<Writing> writing) {
  FillMeta(object, clock_, random_);
  ObjectChange change;
  change.storage = StorageOf(object);
  change.name_space = MetaOf(object).name_space();
  change.name = MetaOf(object).name();
  change.assume_absent = true;
  const object::ResourceDesc& resource = *change.storage->hub().resource;
  change.decide = [object = std::move(object),
                   &resource](const CurrentObject* current) mutable -> Result<Change> {
    if (current != nullptr) {
      return std::unexpected(AlreadyExists(resource, MetaOf(object).name()));
    }
    Change out;
    out.kind = Change::Kind::kWrite;
    out.object = object.Copy();
    return out;
  };
  ChangeObject(std::move(change), [writing](const Result<Changed>& done) { writing->Note(done); });
}

void StoredRbac::Replace(object::Document object, std::shared_ptr<Writing> writing) {
  ObjectChange change;
  change.storage = StorageOf(object);
  change.name_space = MetaOf(object).name_space();
  change.name = MetaOf(object).name();
  const object::ResourceDesc& resource = *change.storage->hub().resource;
  change.decide = [object = std::move(object),
                   &resource](const CurrentObject* current) mutable -> Result<Change> {
    const std::string name(MetaOf(object).name());
    if (current == nullptr) return std::unexpected(NotFound(resource, name));
    if (std::to_string(current->revision.value) != MetaOf(object).resource_version()) {
      return std::unexpected(ObjectChanged(resource, name));
    }
    Change out;
    out.kind = Change::Kind::kWrite;
    out.object = object.Copy();
    return out;
  };
  ChangeObject(std::move(change), [writing](const Result<Changed>& done) { writing->Note(done); });
}

void StoredRbac::EnsureNamespace(const std::string& name, std::shared_ptr<Writing> writing) {
  ObjectChange change;
  change.storage = storages_.Find(object::FindResource("", "v1", "namespaces")->hub);
  change.name = name;
  change.decide = [this, name](const CurrentObject* current) -> Result<Change> {
    Change out;
    if (current != nullptr) return out;
    out.kind = Change::Kind::kWrite;
    out.object = views::core_v1::Namespace::New();
    views::core_v1::MutableNamespace made(out.object);
    made.mutable_metadata().set_name(name);
    made.mutable_metadata().put_labels("kubernetes.io/metadata.name", name);
    made.mutable_spec().add_finalizers("kubernetes");
    made.mutable_status().set_phase("Active");
    FillMeta(out.object, clock_, random_);
    return out;
  };
  ChangeObject(std::move(change), [writing](const Result<Changed>& done) { writing->Note(done); });
}

void StoredRbac::Write(RbacPlan plan, std::move_only_function<void(Result<void>)> done) {
  auto writing = std::make_shared<Writing>(std::move(done));
  for (const std::string& name : plan.namespaces) EnsureNamespace(name, writing);
  for (object::Document& object : plan.create) Create(std::move(object), writing);
  for (object::Document& object : plan.update) Replace(std::move(object), writing);
  for (RbacPlan::Replacement& each : plan.recreate) {
    // One write replaces the object; it is another one all the same, with a uid of its own.
    FillMeta(each.object, clock_, random_);
    ObjectChange change;
    change.storage = StorageOf(each.object);
    change.name_space = MetaOf(each.object).name_space();
    change.name = MetaOf(each.object).name();
    change.decide = [object = std::move(each.object),
                     uid = each.old_uid](const CurrentObject* current) mutable -> Result<Change> {
      Change out;
      if (current != nullptr) {
        SKIFF_ASSIGN_OR_RETURN(object::Document old, current->Decode());
        if (MetaOf(old).uid() != uid) return out;
      }
      out.kind = Change::Kind::kWrite;
      out.object = object.Copy();
      return out;
    };
    ChangeObject(std::move(change),
                 [writing](const Result<Changed>& changed) { writing->Note(changed); });
  }
}

}  // namespace skiff::apiserver
