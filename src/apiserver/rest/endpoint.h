// What a request for a resource is addressed to, and what its handler needs.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/behaviour.h"
#include "apiserver/rest/deadlines.h"
#include "apiserver/rest/noop_apply_cache.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/rest/resource_storage.h"
#include "apiserver/tables/table_writer.h"
#include "apiserver/validation/kind_rules.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/resource.h"
#include "serving/request/api_request.h"
#include "serving/request/output.h"

namespace skiff::apiserver {

class DefaultPlans;

// What all handlers share. Outlives every request.
struct RestContext {
  Clock& clock;
  Random& random;
  Deadlines& deadlines;
  const DefaultPlans& defaults;
  const KindSettings& settings;
  ResourceStorage* namespaces = nullptr;
  Admission* admission = nullptr;  // null: everything is admitted as it is
  Duration min_request_timeout = std::chrono::seconds(1800);
  // Whether who asks for something else, such as an update of what is not there, may create it too;
  // null: everybody.
  std::function<Result<void>(const serving::ApiRequest&)> may_create = {};
  // Whether who asks may delete what cannot be read, unseen; null: that is not offered.
  std::function<Result<void>(const serving::ApiRequest&)> may_delete_unreadable = {};
  int64_t delete_collection_workers = 1;  // deletions of a collection under way at once
  // Takes fields of features that are off out of what is written; null: there are none.
  void (*drop_disabled_fields)(const FeatureGates& gates, const object::ResourceDesc& resource,
                               const object::Document* old, object::Document& object) = nullptr;
  // Whether deletions leave finalizers for the garbage collector.
  bool garbage_collector = true;
  NoopApplyCache noop_applies = {};
};

// The columns of a resource's tables, compiled when somebody first asks for a table.
class LazyColumns {
 public:
  explicit LazyColumns(const object::ResourceDesc& resource) : resource_(&resource) {}
  // Of what a subresource answers with.
  explicit LazyColumns(const object::ColumnsDesc* columns) : desc_(columns) {}
  // Of a resource that makes its own.
  using Make = std::function<Result<std::shared_ptr<const TableColumns>>()>;
  explicit LazyColumns(Make make) : make_(std::move(make)) {}
  Result<std::shared_ptr<const TableColumns>> Get() const {
    std::call_once(once_, [this] {
      if (make_) {
        columns_ = make_();
        return;
      }
      columns_ = resource_ != nullptr ? TableColumns::Make(*resource_) : TableColumns::Make(desc_);
    });
    return columns_;
  }

 private:
  const object::ResourceDesc* resource_ = nullptr;
  const object::ColumnsDesc* desc_ = nullptr;
  const Make make_;
  mutable std::once_flag once_;
  mutable Result<std::shared_ptr<const TableColumns>> columns_;
};

// A resource in one version, or a subresource of it. Lives as long as the server, or as whatever
// the request says that it is served by.
struct Endpoint {
  const object::ResourceDesc* resource = nullptr;
  const object::SubresourceDesc* subresource = nullptr;  // null: the resource itself
  ResourceStorage* storage = nullptr;                    // null: answered, never stored
  ResourceBehaviour* behaviour = nullptr;
  const KindRules* rules = nullptr;      // null: only those that hold for all kinds
  const ObjectView* view = nullptr;      // null: objects are shown as they are stored
  const LazyColumns* columns = nullptr;  // null: never shown as a Table
  RestContext* context = nullptr;

  // What its answers are, where they are one object.
  serving::ResponseKind object_kind() const {
    return columns != nullptr ? serving::ResponseKind::kObject : serving::ResponseKind::kReply;
  }
  // In which version objects are admitted, prepared and validated: that in which they are stored,
  // or, of an open kind, that of the request, since its versions may have different schemas.
  const object::MessageDesc* working_type() const {
    const object::MessageDesc* const stored = storage->desc().stored;
    return stored->open != nullptr ? resource->kind : stored;
  }
  // Null: objects get into other versions by Convert().
  ObjectConverter* converter() const { return storage != nullptr ? storage->converter() : nullptr; }
  // In which version what is to become of an object is handed on, to be stored: where a converter
  // has to be waited for, that of the request.
  const object::MessageDesc* decided_type() const {
    return converter() != nullptr ? resource->kind : storage->desc().stored;
  }
  // For those who may outlive the request.
  ObjectViewPtr SharedView(const serving::ApiRequest& request) const {
    return ObjectViewPtr(request.served_by, view);
  }
  std::string_view subresource_name() const {
    return subresource != nullptr ? subresource->name : std::string_view();
  }
};

}  // namespace skiff::apiserver
