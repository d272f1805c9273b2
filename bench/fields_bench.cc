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
constexpr Timestamp kNow{1'768'046'400, 0};

// Pods as they are stored: with a uid and an owner of all their fields.
struct ManagedPods {
  std::vector<Document> fresh;    // as they come in
  std::vector<Document> stored;   // with managedFields
  std::vector<std::string> json;  // what is applied
};

const FieldWriter kUpdater{"bench", "v1", "", nullptr, kNow};
const FieldWriter kApplier{"applier", "v1", "", nullptr, kNow};

ManagedPods MakePods(const Samples& pods, const DefaultPlans& defaults) {
  ManagedPods out;
  for (size_t i = 0; i < kPods; ++i) {
    Result<Document> pod = DecodeJson(pods.all[i].json, pods.type);
    if (!pod) std::abort();
    Value* meta = pod->root().Find("metadata");
    meta->Erase("managedFields");
    meta->Erase("resourceVersion");
    pod->root().Erase("status");
    out.json.push_back(EncodeJson(pod->root()));
    meta->Erase("uid");
    const Result<Document> config = DecodeJson(out.json.back(), nullptr);
    Result<Document> applied =
        ApplyConfiguration(defaults, kApplier, Document::OfType(pods.type), *config, false);
    if (!applied) std::abort();
    applied->root().Find("metadata")->Set(applied->arena(), "uid", Value::String("u"));
    out.fresh.push_back(std::move(*pod));
    out.stored.push_back(std::move(*applied));
  }
  return out;
}

}  // namespace

void BenchFields(Report& report) {
  const Samples& pods = Pods();
  const std::unique_ptr<const DefaultPlans> plans = DefaultsOfKinds({}, nullptr);
  const DefaultPlans& defaults = *plans;
  const ManagedPods managed = MakePods(pods, defaults);
  const Document nothing = Document::OfType(pods.type);
  size_t next = 0;
  const auto [copy, create, update, apply] = BestSecondsEach(
      kSeconds, [&] { Keep(managed.fresh[next++ % kPods].Copy()); },
      [&] {
        Document pod = managed.fresh[next++ % kPods].Copy();
        TrackUpdate(kUpdater, nothing, pod);
        Keep(pod);
      },
      [&] {
        const Document& live = managed.stored[next++ % kPods];
        Document pod = live.Copy();
        pod.root().Find("spec")->Set(pod.arena(), "nodeName", Value::String("elsewhere"));
        TrackUpdate(kUpdater, live, pod);
        Keep(pod);
      },
      [&] {
        const size_t i = next++ % kPods;
        const Result<Document> config = DecodeJson(managed.json[i], nullptr);
        const Result<Document> pod =
            ApplyConfiguration(defaults, kApplier, managed.stored[i], *config, false);
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
