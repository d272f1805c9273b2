// `skiff store compact` and `skiff store defrag`.
#include <cstdio>
#include <utility>

#include "base/random.h"
#include "cli/common/host.h"
#include "cli/common/long_operation.h"
#include "cli/store/store_commands.h"
#include "cli/store/store_location.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/offline_reader.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff::cli {
namespace {

Result<std::unique_ptr<store::Engine>> OpenEngine(const std::string& directory) {
  KeepNewFilesPrivate();
  store::RocksDbOptions options;
  options.directory = directory;
  options.create = false;
  return store::RocksDbEngine::Open(std::move(options));
}

// A server that has the store open does by itself what is asked for.
std::unexpected<Status> Refused(const Status& status, std::string_view what) {
  if (status.reason() != StatusReason::kConflict) return std::unexpected(status);
  return Fail(status.reason(),
              status.message() + "; a running server " + std::string(what) + " by itself");
}

class StoreCompactRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    DeclareLocation(flags, &place_, LocationKinds::kStores);
    flags.Add({.name = "revision",
               .placeholder = "N",
               .help = "keep the states from this revision on; 0: only the newest",
               .value = WholeNumber(&revision_, 0)});
  }

  Result<void> Check() override { return CheckLocation(place_, LocationKinds::kStores); }

  int Run() override {
    LongOperation work("skiff store compact");
    const Result<store::Revision> done = Compact(work);
    if (!done) return StoreFailure("compact", done.error());
    std::printf("compacted %s to revision %lld\n", place_.Shown().c_str(),
                static_cast<long long>(done->value));
    return kExitSuccess;
  }

 private:
  Result<store::Revision> Compact(LongOperation& work) {
    SystemRandom random;
    std::unique_ptr<store::Store> store;
    if (place_.is_etcd()) {
      SKIFF_ASSIGN_OR_RETURN(store, OpenEtcd(place_, {&work.clock(), &random}));
    } else {
      store::EmbeddedOptions options;
      options.open_engine = [this] { return OpenEngine(place_.data_dir); };
      options.clock = &work.clock();
      options.random = &random;
      options.compaction_interval = Duration(0);
      options.forget_early = false;
      Result<std::unique_ptr<store::EmbeddedStore>> opened =
          store::EmbeddedStore::Open(std::move(options));
      if (!opened) return Refused(opened.error(), "compacts");
      store = std::move(*opened);
    }
    store::Revision revision{revision_};
    if (revision_ == 0) {
      SKIFF_ASSIGN_OR_RETURN(revision, store::StoreSource(*store).CurrentRevision());
    }
    const Result<store::Revision> done = store::Await<store::Revision>(
        [&](auto answer) { store->Compact(revision, std::move(answer)); });
    if (!done) return AtPlace(place_, done.error());
    return revision;
  }

  StoreLocation place_;
  int64_t revision_ = 0;
};

class StoreDefragRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override { DeclareLocation(flags, &place_, LocationKinds::kStores); }

  Result<void> Check() override { return CheckLocation(place_, LocationKinds::kStores); }

  int Run() override {
    LongOperation work("skiff store defrag");
    const Result<void> done = Defragment(work);
    return done ? kExitSuccess : StoreFailure("defrag", done.error());
  }

 private:
  Result<void> Defragment(LongOperation& work) {
    if (place_.is_etcd()) {
      return BadRequest(
          "the members of an etcd are defragmented one by one, with 'etcdctl defrag "
          "--endpoints=...'");
    }
    {
      // Only what is a store of ours, in a format that is known, is rewritten.
      SystemRandom random;
      SKIFF_RETURN_IF_ERROR(OpenForReading(place_, {&work.clock(), &random}));
    }
    Result<std::unique_ptr<store::Engine>> engine = OpenEngine(place_.data_dir);
    if (!engine) return Refused(engine.error(), "gives room back");
    const uint64_t before = (*engine)->Figures().bytes_on_disk;
    SKIFF_RETURN_IF_ERROR((*engine)->Defragment());
    const uint64_t after = (*engine)->Figures().bytes_on_disk;
    std::printf("defragmented %s: %s before, %s after\n", place_.Shown().c_str(),
                HumanBytes(before).c_str(), HumanBytes(after).c_str());
    return {};
  }

  StoreLocation place_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeStoreCompact() { return std::make_unique<StoreCompactRun>(); }
std::unique_ptr<CommandRun> MakeStoreDefrag() { return std::make_unique<StoreDefragRun>(); }

}  // namespace skiff::cli
