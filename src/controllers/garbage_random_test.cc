// Random ownership graphs under the garbage collector, with users and faults meanwhile. Whatever
// happens: nothing with a living owner is deleted, no garbage stays, no deletion hangs.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controllers/deletion_testing.h"
#include "controllers/garbage_collector.h"
#include "controllers/objects.h"

namespace skiff::controllers {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

enum class Faults : uint8_t { kNone, kCalls, kWatches };

struct Case {
  Faults faults;
  uint64_t first_seed;
};

class GarbageRandomTest : public DeletionTest, public ::testing::WithParamInterface<Case> {};

// One cluster, from one seed.
class World {
 public:
  World(uint64_t seed, Faults faults) : random_(seed), faults_(faults), api_(executor_, seed) {
    api_.objects().AddCustom(Widgets());
    listener_ = api_.objects().Listen([this] { OnChange(); });
  }
  ~World() {
    controller_->Stop();
    api_.Close();
    executor_.RunUntilIdle();
    api_.objects().StopListening(listener_);
  }

  void Run() {
    for (int i = 0; i < 10; ++i) Create();
    informers_ = client::MakeInformerSet(client_, informer_random_);
    controller_ = MakeGarbageCollector({.client = client_,
                                        .informers = *informers_,
                                        .clock = executor_.clock(),
                                        .random = informer_random_,
                                        .log = log_,
                                        .events = events_,
                                        .options = options_});
    controller_->Start();
    informers_->Start();
    for (int step = 0; step < 80; ++step) Step();
    api_.StopFailing();
    api_.HoldWatches(false);
    executor_.Advance(minutes(90));
    Check();
  }

 private:
  const client::ApiResource& RandomKind() {
    static const std::array<const client::ApiResource*, 4> kinds = {&ConfigMaps(), &Secrets(),
                                                                    &Widgets(), &Classes()};
    return *kinds[random_.Uniform(kinds.size())];
  }
  bool Chance(uint64_t of_hundred) { return random_.Uniform(100) < of_hundred; }

  struct Place {
    const client::ApiResource* kind;
    client::ObjectPtr object;
  };
  std::vector<Place> All() {
    std::vector<Place> all;
    for (const client::ApiResource* kind : {&ConfigMaps(), &Secrets(), &Widgets(), &Classes()}) {
      for (const client::ObjectPtr& object : api_.objects().All(*kind))
        all.push_back({kind, object});
    }
    return all;
  }

  std::string RandomOwner(const NewObject& object) {
    const std::vector<Place> all = All();
    const bool blocks = Chance(50);
    if (all.empty() || Chance(10)) {
      return OwnerJson(RandomKind(), "missing", "missing-" + std::to_string(random_.Uniform(5)),
                       blocks);
    }
    for (int tries = 0; tries < 5; ++tries) {
      const Place& owner = all[random_.Uniform(all.size())];
      // Mostly where it is valid.
      if (owner.kind->namespaced && client::NameOf(*owner.object).name_space != object.name_space &&
          !Chance(10)) {
        continue;
      }
      return OwnerJson(*owner.kind, owner.object, blocks);
    }
    return OwnerJson(ConfigMaps(), "missing", "missing-x", blocks);
  }

  void Create() {
    const client::ApiResource& kind = RandomKind();
    NewObject object{.name_space = Chance(50) ? "a" : "b",
                     .name = "n" + std::to_string(random_.Uniform(20))};
    if (!kind.namespaced) object.name_space.clear();
    const client::ObjectName name{.name_space = object.name_space, .name = object.name};
    const client::ObjectPtr old = api_.objects().Find(kind, name);
    if (old != nullptr && client::IsDeleting(*old)) return;
    for (uint64_t owners = random_.Uniform(3); owners > 0; --owners) {
      object.owners.push_back(RandomOwner(object));
    }
    if (old == nullptr) object.uid = "uid-" + std::to_string(++last_uid_);
    by_user_ = true;
    api_.objects().Put(kind, object.Json(kind));
    by_user_ = false;
    if (old != nullptr) stays_.erase(std::string(client::UidOf(*old)));
  }

  void Delete() {
    const std::vector<Place> all = All();
    if (all.empty()) return;
    const Place& victim = all[random_.Uniform(all.size())];
    if (client::IsDeleting(*victim.object)) return;
    static const std::array<std::string, 4> kHow = {"Background", "Foreground", "Orphan", ""};
    client::ClientCall call;
    call.verb = client::ClientVerb::kDelete;
    call.resource = victim.kind;
    call.target = client::NameOf(*victim.object);
    call.deletion.propagation = kHow[random_.Uniform(kHow.size())];
    if (call.deletion.propagation == "Orphan" && faults_ != Faults::kWatches) {
      // The collector has seen all dependents by now, so that all of them must stay.
      executor_.Advance(milliseconds(100));
      const client::ObjectPtr now = api_.objects().Find(*victim.kind, call.target);
      if (now == nullptr || client::IsDeleting(*now)) return;
      ExpectToStay(*victim.kind, *now);
    }
    by_user_ = true;
    (void)api_.objects().Do(call);
    by_user_ = false;
    stays_.erase(std::string(client::UidOf(*victim.object)));
  }

  // Those that nothing but this owner could take along.
  void ExpectToStay(const client::ApiResource& kind, const object::Document& owner) {
    for (const Place& each : All()) {
      if (client::IsDeleting(*each.object) || client::UidOf(*each.object) == client::UidOf(owner))
        continue;
      const std::vector<OwnerReference> owners = OwnersOf(*each.object);
      const bool only_this = !owners.empty() && std::ranges::all_of(owners, [&](const auto& ref) {
        return ref.uid == client::UidOf(owner);
      });
      const std::string home = client::NameOf(owner).name_space;
      if (only_this && (!kind.namespaced || client::NameOf(*each.object).name_space == home)) {
        stays_.insert(std::string(client::UidOf(*each.object)));
      }
    }
  }

  void Step() {
    if (Chance(55)) {
      Create();
    } else {
      Delete();
    }
    if (faults_ == Faults::kCalls && Chance(20)) {
      api_.Fail({.times = static_cast<int>(random_.Uniform(6)),
                 .status = Status(StatusReason::kServerTimeout, "lost"),
                 .carried_out = Chance(50)});
      api_.SetDelay(milliseconds(random_.Uniform(50)));
    }
    if (faults_ == Faults::kWatches && Chance(20)) {
      switch (random_.Uniform(4)) {
        case 0:
          api_.BreakWatches();
          break;
        case 1:
          api_.objects().ExpireHistory();
          api_.BreakWatches(Status(StatusReason::kExpired, "too old"));
          break;
        case 2:
          api_.HoldWatches(true);
          break;
        default:
          api_.HoldWatches(false);
          break;
      }
      api_.SetWatchDelay(milliseconds(random_.Uniform(200)));
      api_.SetDelay(milliseconds(random_.Uniform(20)));
    }
    executor_.Advance(milliseconds(Chance(80) ? random_.Uniform(100) : random_.Uniform(40'000)));
  }

  // The owner that a reference means, if it is where it can be.
  client::ObjectPtr Living(const OwnerReference& reference, const std::string& name_space) {
    for (const Place& each : All()) {
      if (client::UidOf(*each.object) != reference.uid) continue;
      const client::ObjectName name = client::NameOf(*each.object);
      const bool fits = each.kind->kind == reference.kind && name.name == reference.name &&
                        (!each.kind->namespaced || name.name_space == name_space);
      return fits ? each.object : nullptr;
    }
    return nullptr;
  }

  // Everything that the collector deletes must have lost its owners at that very moment.
  void OnChange() {
    std::map<std::string, Place> now;
    for (Place& each : All())
      now.emplace(std::string(client::UidOf(*each.object)), std::move(each));
    if (!by_user_) {
      for (const auto& [uid, before] : before_) {
        if (client::IsDeleting(*before.object)) continue;
        const auto found = now.find(uid);
        if (found != now.end() && !client::IsDeleting(*found->second.object)) continue;
        EXPECT_FALSE(OwnersOf(*before.object).empty()) << uid;
        for (const OwnerReference& reference : OwnersOf(*before.object)) {
          const client::ObjectPtr owner =
              Living(reference, client::NameOf(*before.object).name_space);
          EXPECT_TRUE(owner == nullptr ||
                      (client::IsDeleting(*owner) && HasFinalizer(*owner, kForegroundFinalizer)))
              << uid << " had a living owner " << reference.uid;
        }
      }
    }
    before_ = std::move(now);
  }

  void Check() {
    std::set<std::string> alive;
    for (const Place& each : All()) {
      const std::string uid(client::UidOf(*each.object));
      alive.insert(uid);
      EXPECT_FALSE(client::IsDeleting(*each.object)) << uid << " hangs";
      const client::ObjectName name = client::NameOf(*each.object);
      const std::vector<OwnerReference> owners = OwnersOf(*each.object);
      // Nobody can tell where an owner in a namespace is whose dependent is in none.
      const bool unreachable = std::ranges::any_of(owners, [&](const OwnerReference& reference) {
        return !each.kind->namespaced && reference.kind != Classes().kind;
      });
      for (const OwnerReference& reference : owners) {
        if (unreachable) break;
        EXPECT_NE(Living(reference, name.name_space), nullptr)
            << uid << " still has the owner " << reference.uid;
      }
    }
    for (const std::string& uid : stays_) {
      EXPECT_TRUE(alive.contains(uid)) << uid << " was orphaned and went all the same";
    }
    EXPECT_TRUE(controller_->idle());
  }

  SeededRandom random_;
  SeededRandom informer_random_{3};
  const Faults faults_;
  client::ManualExecutor executor_;
  client::FakeApi api_;
  client::Client client_{api_, "test"};
  MemoryLogSink sink_;
  Log log_{executor_.clock(), sink_};
  RecordedEvents events_;
  ControllerOptions options_;
  std::unique_ptr<client::InformerSet> informers_;
  std::unique_ptr<Controller> controller_;
  uint64_t listener_ = 0;
  int last_uid_ = 0;
  bool by_user_ = false;
  std::map<std::string, Place> before_;
  std::set<std::string> stays_;
};

TEST_P(GarbageRandomTest, NothingLivingIsDeletedAndNoGarbageStays) {
  const auto [faults, first_seed] = GetParam();
  for (uint64_t seed = first_seed; seed < first_seed + 25 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World(seed, faults).Run();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GarbageRandomTest,
                         ::testing::Values(Case{Faults::kNone, 1}, Case{Faults::kCalls, 1000},
                                           Case{Faults::kWatches, 2000}));

}  // namespace
}  // namespace skiff::controllers
