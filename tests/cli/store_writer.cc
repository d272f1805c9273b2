// A stand-in for a server, for the tests of `skiff store`: makes an embedded store with objects of
// several kinds and goes on writing to it until its standard input ends.
//
//   store_writer DIRECTORY COUNT [misplaced]
//
// The last word adds a key that holds the object of another.
// Prints "ready REVISION" when the objects are there, and "last REVISION" at the end.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/transcode/json_to_protobuf.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff {
namespace {

template <typename T>
T Need(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "store_writer: %s\n", result.error().message().c_str());
  std::exit(1);
}

SharedBytes Stored(const std::string& json) {
  ByteBuffer out;
  if (!object::JsonToStorage(json, out)) std::abort();
  return SharedBytes(out.view());
}

SharedBytes ConfigMap(int number, int64_t round) {
  return Stored(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c)" +
                std::to_string(number) + R"(","namespace":"default"},"data":{"round":")" +
                std::to_string(round) + R"("}})");
}

std::string ConfigMapKey(int number) {
  return "/registry/configmaps/default/c" + std::to_string(number);
}

int64_t Put(store::Store& store, std::string key, SharedBytes value, store::LeaseId lease = {}) {
  store::Transaction transaction;
  transaction.writes.push_back({store::Write::Kind::kPut, std::move(key), std::move(value), lease});
  return Need(store::CommitAndWait(store, std::move(transaction))).revision.value;
}

int64_t Fill(store::Store& store, int count) {
  for (int i = 0; i < count; ++i) Put(store, ConfigMapKey(i), ConfigMap(i, 0));
  Put(store, "/registry/secrets/default/s",
      Stored(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"default"},)"
             R"("data":{"password":"aHVzaA=="}})"));
  Put(store, "/registry/stable.example.com/crontabs/default/t",
      SharedBytes(R"({"kind":"CronTab","apiVersion":"stable.example.com/v1"})"));
  Put(store, "/registry/services/specs/default/gone", SharedBytes("{}"));
  const store::LeaseInfo lease = Need(store::Await<store::LeaseInfo>([&](auto done) {
    store.GrantLease(std::chrono::hours(1), store::LeaseId(), std::move(done));
  }));
  Put(store, "/registry/events/default/e", SharedBytes(R"({"kind":"Event"})"), lease.id);
  Put(store, "/elsewhere", SharedBytes("not under the prefix"));
  store::Transaction removal;
  removal.writes.push_back(
      {store::Write::Kind::kDelete, "/registry/services/specs/default/gone", {}, {}});
  return Need(store::CommitAndWait(store, std::move(removal))).revision.value;
}

bool InputEnded() {
  pollfd waiting{STDIN_FILENO, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

int Main(const std::string& directory, int count, bool misplaced) {
  SystemClock clock;
  SystemRandom random;
  store::EmbeddedOptions options;
  options.open_engine = [&] {
    store::RocksDbOptions engine;
    engine.directory = directory;
    return store::RocksDbEngine::Open(std::move(engine));
  };
  options.clock = &clock;
  options.random = &random;
  const std::unique_ptr<store::EmbeddedStore> store =
      Need(store::EmbeddedStore::Open(std::move(options)));
  if (misplaced) Put(*store, "/registry/configmaps/default/borrowed", ConfigMap(0, 0));
  int64_t revision = Fill(*store, count);
  std::printf("ready %lld\n", static_cast<long long>(revision));
  std::fflush(stdout);
  for (int64_t round = 1; !InputEnded(); ++round) {
    const int number = static_cast<int>(round % count);
    revision = Put(*store, ConfigMapKey(number), ConfigMap(number, round));
  }
  std::printf("last %lld\n", static_cast<long long>(revision));
  return 0;
}

}  // namespace
}  // namespace skiff

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  return skiff::Main(argv[1], std::atoi(argv[2]), argc == 4);
}
