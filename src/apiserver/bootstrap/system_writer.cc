#include "apiserver/bootstrap/system_writer.h"

#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"
#include "object/json/decode.h"
#include "store/blocking.h"

namespace skiff::apiserver {
namespace {

// Counts answers, and keeps the first error.
class Answers {
 public:
  explicit Answers(size_t expected) : left_(expected) {}

  void Add(Result<Changed> changed) {
    std::lock_guard lock(mutex_);
    if (!changed && first_) first_ = std::unexpected(std::move(changed.error()));
    if (--left_ == 0) all_.notify_all();
  }
  Result<void> Wait() {
    std::unique_lock lock(mutex_);
    all_.wait(lock, [this] { return left_ == 0; });
    return first_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  size_t left_;
  Result<void> first_;
};

void TakeStatus(const object::Value& from, object::Document& object) {
  if (const object::Value* status = from.Find("status"); status != nullptr) {
    object.root().Set(object.arena(), "status", status->CopyInto(object.arena()));
  }
}

const object::Value& SpecOf(const object::Document& object) {
  static constexpr object::Value kNone{};
  const object::Value* spec = object.root().Find("spec");
  return spec != nullptr ? *spec : kNone;
}

Result<Change> RepairCurrent(const CurrentObject& current, const Repair& repair) {
  Change change;
  if (!repair) return change;
  SKIFF_ASSIGN_OR_RETURN(object::Document object, current.Decode());
  const object::Document before = object.Copy();
  repair(object);
  if (object::DeepEqual(before.root(), object.root())) return change;
  MetaOf meta(object);
  if (meta.generation() > 0 && !object::DeepEqual(SpecOf(before), SpecOf(object))) {
    meta.SetGeneration(meta.generation() + 1);
  }
  change.kind = Change::Kind::kWrite;
  change.object = std::move(object);
  return change;
}

}  // namespace

WantedObject Wanted(std::string_view group, std::string_view version, std::string_view resource,
                    std::string_view json, Repair repair) {
  WantedObject out;
  out.resource = object::FindResource(group, version, resource);
  assert(out.resource != nullptr);
  Result<object::Document> object = object::DecodeJson(json, out.resource->kind);
  assert(object);
  if (object) out.object = std::move(*object);
  out.repair = std::move(repair);
  return out;
}

Result<Change> SystemWriter::Create(const Endpoint& endpoint, const object::Document& wanted) {
  object::Document object = wanted.Copy();
  const object::Timestamp now = NowOf(rest_.clock);
  const std::string name_space(MetaOf(object).name_space());
  // Objects at rest in JSON say what they are.
  object.root().Set(object.arena(), "kind", object::Value::String(endpoint.resource->kind_name));
  object.root().Set(object.arena(), "apiVersion",
                    object::Value::String(endpoint.resource->version->desc->api_version));
  SKIFF_RETURN_IF_ERROR(FillMetaForCreate(endpoint, name_space, object, rest_.random, now));
  SKIFF_ASSIGN_OR_RETURN(object, Convert(std::move(object), endpoint.storage->desc().stored));
  object::Document with_status = object.Copy();
  Change change;
  change.kind = Change::Kind::kWrite;
  WriteContext write{*endpoint.resource, {}, now, rest_.random, nullptr, change.also,
                     rest_.settings};
  endpoint.storage->strategy().PrepareForCreate(object);
  SKIFF_RETURN_IF_ERROR(endpoint.behaviour->PrepareForCreate(write, object));
  TakeStatus(with_status.root(), object);
  change.object = std::move(object);
  return change;
}

Result<void> SystemWriter::Ensure(std::vector<WantedObject> objects) {
  std::erase_if(objects,
                [this](const WantedObject& each) { return StorageOf(*each.resource) == nullptr; });
  if (objects.empty()) return {};
  auto answers = std::make_shared<Answers>(objects.size());
  for (WantedObject& each : objects) {
    auto wanted = std::make_shared<WantedObject>(std::move(each));
    Endpoint endpoint;
    endpoint.resource = wanted->resource;
    endpoint.storage = StorageOf(*wanted->resource);
    endpoint.behaviour = registry_.BehaviourOf(*wanted->resource->hub);
    ObjectChange change;
    change.storage = endpoint.storage;
    const MetaOf meta(wanted->object);
    change.name_space = meta.name_space();
    change.name = meta.name();
    change.decide = [this, wanted, endpoint](const CurrentObject* current) {
      if (current != nullptr) return RepairCurrent(*current, wanted->repair);
      return Create(endpoint, wanted->object);
    };
    ChangeObject(std::move(change),
                 [answers](Result<Changed> changed) { answers->Add(std::move(changed)); });
  }
  return answers->Wait();
}

Result<void> SystemWriter::RepairExisting(const object::ResourceDesc& resource,
                                          std::string_view name, Repair repair) {
  auto answers = std::make_shared<Answers>(1);
  ObjectChange change;
  change.storage = StorageOf(resource);
  change.name = name;
  change.decide = [repair = std::move(repair)](const CurrentObject* current) -> Result<Change> {
    if (current == nullptr) return Change{};
    return RepairCurrent(*current, repair);
  };
  ChangeObject(std::move(change),
               [answers](Result<Changed> changed) { answers->Add(std::move(changed)); });
  return answers->Wait();
}

Result<void> SystemWriter::Remove(const object::ResourceDesc& resource, std::string_view name_space,
                                  std::string_view name, store::Revision revision) {
  ResourceStorage* storage = StorageOf(resource);
  Result<store::CommitReply> reply = store::CommitAndWait(
      storage->store(),
      store::Transaction::DeleteIfRevision(storage->Key(name_space, name), revision));
  if (!reply) return std::unexpected(std::move(reply.error()));
  return {};
}

}  // namespace skiff::apiserver
