// Field management of a pod: what tracking its owners adds to a create and to an update that
// changes one field, and an apply that changes nothing. The limits are shares of a request's CPU
// budget: 0.15 ms for a create or update as a whole, 0.1 ms for an apply as a whole.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/managed_fields/apply_configuration.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/registry/use_kinds.h"
#include "bench/benches.h"
#include "bench/samples.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/value.h"

namespace skiff::bench {
namespace {

constexpr double kSeconds = 3.0;
constexpr size_t kPods = 64;
constexpr double kTrackMicroseconds = 50;
constexpr double kApplyMicroseconds = 100;
constexpr object::Timestamp kNow{1'768'046'400, 0};

// Pods as they are stored: with a uid and an owner of all their fields.
struct ManagedPods {
  std::vector<object::Document> fresh;   // as they come in
  std::vector<object::Document> stored;  // with managedFields
  std::vector<std::string> json;         // what is applied
};

const apiserver::FieldWriter kUpdater{"bench", "v1", "", nullptr, kNow};
const apiserver::FieldWriter kApplier{"applier", "v1", "", nullptr, kNow};

ManagedPods MakePods(const Samples& pods, const apiserver::DefaultPlans& defaults) {
  ManagedPods out;
  for (size_t i = 0; i < kPods; ++i) {
    Result<object::Document> pod = object::DecodeJson(pods.all[i].json, pods.type);
    if (!pod) std::abort();
    object::Value* meta = pod->root().Find("metadata");
    meta->Erase("managedFields");
    meta->Erase("resourceVersion");
    pod->root().Erase("status");
    out.json.push_back(object::EncodeJson(pod->root()));
    meta->Erase("uid");
    const Result<object::Document> config = object::DecodeJson(out.json.back(), nullptr);
    Result<object::Document> applied = apiserver::ApplyConfiguration(
        defaults, kApplier, object::Document::OfType(pods.type), *config, false);
    if (!applied) std::abort();
    applied->root().Find("metadata")->Set(applied->arena(), "uid", object::Value::String("u"));
    out.fresh.push_back(std::move(*pod));
    out.stored.push_back(std::move(*applied));
  }
  return out;
}

}  // namespace

void BenchFields(Report& report) {
  const Samples& pods = Pods();
  const std::unique_ptr<const apiserver::DefaultPlans> plans =
      apiserver::DefaultsOfKinds({}, nullptr);
  const apiserver::DefaultPlans& defaults = *plans;
  const ManagedPods managed = MakePods(pods, defaults);
  const object::Document nothing = object::Document::OfType(pods.type);
  size_t next = 0;
  const auto [copy, create, update, apply] = BestSecondsEach(
      kSeconds, [&] { Keep(managed.fresh[next++ % kPods].Copy()); },
      [&] {
        object::Document pod = managed.fresh[next++ % kPods].Copy();
        apiserver::TrackUpdate(kUpdater, nothing, pod);
        Keep(pod);
      },
      [&] {
        const object::Document& live = managed.stored[next++ % kPods];
        object::Document pod = live.Copy();
        pod.root().Find("spec")->Set(pod.arena(), "nodeName", object::Value::String("elsewhere"));
        apiserver::TrackUpdate(kUpdater, live, pod);
        Keep(pod);
      },
      [&] {
        const size_t i = next++ % kPods;
        const Result<object::Document> config = object::DecodeJson(managed.json[i], nullptr);
        const Result<object::Document> pod =
            apiserver::ApplyConfiguration(defaults, kApplier, managed.stored[i], *config, false);
        if (!pod) std::abort();
        Keep(*pod);
      });
  const auto figure = [&](const char* name, double seconds, double limit) {
    report.Figure(name, seconds * 1e6, "us", seconds * 1e6 / limit, "limit", AtMost(1));
  };
  figure("fields_track_create", create - copy, kTrackMicroseconds);
  figure("fields_track_update", update - copy, kTrackMicroseconds);
  figure("fields_apply_unchanged", apply, kApplyMicroseconds);
}

}  // namespace skiff::bench
