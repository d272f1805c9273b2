#include "apiserver/bootstrap/conditions.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/managed_fields/apply_configuration.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace flow = views::flowcontrol_apiserver_k8s_io_v1;

struct WantedCondition {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string message;
};

template <typename Conditions>
bool Says(const Conditions& conditions, const WantedCondition& wanted) {
  for (const auto each : conditions) {
    if (each.type() != wanted.type) continue;
    return each.status() == wanted.status && each.reason() == wanted.reason &&
           each.message() == wanted.message;
  }
  return false;
}

// Since when the condition has its status: as before if that stays.
template <typename Conditions>
object::Timestamp Since(const Conditions& conditions, const WantedCondition& wanted,
                        object::Timestamp now) {
  for (const auto each : conditions) {
    if (each.type() == wanted.type && each.status() == wanted.status) {
      return each.last_transition_time();
    }
  }
  return now;
}

WantedCondition DanglingOf(const flow::FlowSchema& schema, ResourceStorage* levels) {
  const std::string_view level = schema.spec().priority_level_configuration().name();
  const bool found = static_cast<bool>(FindInCache(levels, "", level));
  return {.type = "Dangling",
          .status = found ? "False" : "True",
          .reason = found ? "Found" : "NotFound",
          .message = "This FlowSchema references the PriorityLevelConfiguration object named \"" +
                     std::string(level) + "\" " +
                     (found ? "and it exists" : "but there is no such object")};
}

// The condition is applied, so that it has an owner that others can see.
void ApplyDangling(const DefaultPlans& defaults, const WantedCondition& wanted,
                   object::Timestamp now, object::Document& object) {
  object::Document config = flow::FlowSchema::New();
  flow::MutableFlowSchema schema(config);
  schema.mutable_metadata().set_name(MetaOf(object).name());
  auto condition = schema.mutable_status().add_conditions();
  condition.set_type(wanted.type);
  condition.set_status(wanted.status);
  condition.set_reason(wanted.reason);
  condition.set_message(wanted.message);
  condition.set_last_transition_time(
      Since(flow::FlowSchema(object).status().conditions(), wanted, now));
  const FieldWriter writer{.manager = "api-priority-and-fairness-config-consumer-v1",
                           .api_version = flow::FlowSchema::Type()->group_version->api_version,
                           .subresource = "status",
                           .storage = nullptr,
                           .now = now};
  Result<object::Document> untyped = object::DecodeJson(object::EncodeJson(config.root()), nullptr);
  if (!untyped) return;
  // JSON shows an empty spec, about which nothing is to be said.
  untyped->root().Erase("spec");
  Result<object::Document> applied = ApplyConfiguration(defaults, writer, object, *untyped, true);
  if (applied) object = std::move(*applied);
}

struct Wrong {
  std::string name;
  WantedCondition wanted;
};

}  // namespace

Result<void> KeepFlowSchemaConditions(SystemWriter& writer) {
  constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";
  const object::ResourceDesc& schemas = *object::FindResource(kGroup, "v1", "flowschemas");
  ResourceStorage* levels =
      writer.StorageOf(*object::FindResource(kGroup, "v1", "prioritylevelconfigurations"));
  if (levels == nullptr || !levels->cache().ready()) return {};
  std::vector<Wrong> wrong;
  ForEachInCache(writer.StorageOf(schemas), [&](const store::CacheEntry& entry) {
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (!object) return;
    const flow::FlowSchema schema(*object);
    WantedCondition wanted = DanglingOf(schema, levels);
    if (Says(schema.status().conditions(), wanted)) return;
    wrong.push_back({std::string(entry.name()), std::move(wanted)});
  });
  Result<void> out;
  for (Wrong& each : wrong) {
    const object::Timestamp now = NowOf(writer.rest().clock);
    Result<void> written = writer.RepairExisting(
        schemas, each.name,
        [&writer, wanted = std::move(each.wanted), now](object::Document& object) {
          if (!Says(flow::FlowSchema(object).status().conditions(), wanted)) {
            ApplyDangling(writer.rest().defaults, wanted, now, object);
          }
        });
    if (!written) out = std::move(written);
  }
  return out;
}

}  // namespace skiff::apiserver
