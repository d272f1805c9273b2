// Watches that begin with many objects: what they give at once.
#include "apiserver/rest/watch.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/stepping_clock.h"
#include "base/limits.h"
#include "base/random.h"
#include "net/testing_responder.h"
#include "store/cache/scripted_store.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {
namespace {

constexpr int kObjects = 3000;
constexpr int kLargeObjects = 200;
constexpr size_t kLargeBytes = 50'000;

class LongWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    AddObjects("ns", kObjects, "");
    AddObjects("large", kLargeObjects, std::string(kLargeBytes, 'x'));
    auto storage = ResourceStorage::Make(*resource_->hub, environment_, symbols_);
    ASSERT_TRUE(storage) << storage.error().ToString();
    storage_ = std::move(*storage);
    storage_->cache().Start([](Result<store::Revision> loaded) { EXPECT_TRUE(loaded); });
    endpoint_.storage = storage_.get();
  }
  void TearDown() override {
    client_->answer.reset();
    storage_->cache().Stop();
  }

  void AddObjects(const std::string& ns, int count, const std::string& text) {
    std::vector<std::pair<std::string, SharedBytes>> writes;
    for (int i = 0; i < count; ++i) {
      std::string key = "/registry/configmaps/";
      const std::string name = "object-" + std::to_string(10'000 + i);
      key.append(ns).append("/").append(name);
      std::string value = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")";
      value.append(name).append(R"(","namespace":")").append(ns);
      value.append(R"("},"data":{"text":")").append(text).append(R"("}})");
      writes.emplace_back(std::move(key), SharedBytes(value));
    }
    store_.Write(std::move(writes));
  }

  // The body of the answer.
  net::BodySource& Watch(std::string_view query, net::HttpHeaders headers = {},
                         std::string_view ns = "ns") {
    net::HttpRequest http;
    http.method = "GET";
    http.headers = std::move(headers);
    auto request = std::make_unique<serving::ApiRequest>(
        serving::ApiRequest{.http = std::move(http), .responder = net::Responder(client_)});
    request->info.name_space = ns;
    request->query = serving::QueryParameters::Parse(query).value();
    HandleWatch(std::move(request), endpoint_);
    net::BodySource& source = *client_->answer->source;
    source.OnStart([] {});
    return source;
  }

  SteppingClock clock_;
  SystemRandom random_;
  store::ScriptedStore store_;
  store::LeasePool leases_{store_, clock_};
  StorageEnvironment environment_{store_, clock_, random_, leases_, KindDefaults()};
  object::SymbolTable symbols_;
  std::unique_ptr<ResourceStorage> storage_;
  Deadlines deadlines_{clock_};
  RestContext context_{.clock = clock_,
                       .random = random_,
                       .deadlines = deadlines_,
                       .defaults = KindDefaults(),
                       .settings = kDefaultSettings};
  const object::ResourceDesc* resource_ = object::FindResource("", "v1", "configmaps");
  ObjectView view_{*resource_};
  Endpoint endpoint_{.resource = resource_, .view = &view_, .context = &context_};
  std::shared_ptr<net::RecordedResponse> client_ = std::make_shared<net::RecordedResponse>();
};

// Reads until the source waits: how much came at once at most, and how often objects were told of.
struct Told {
  size_t largest = 0;
  size_t events = 0;
  size_t reads = 0;
};
Told ReadAll(net::BodySource& source) {
  Told told;
  auto state = Result<net::BodySource::State>(net::BodySource::State::kMore);
  for (; state && *state == net::BodySource::State::kMore; ++told.reads) {
    ByteBuffer out;
    state = source.Read(out, 4096);
    told.largest = std::max(told.largest, out.size());
    for (size_t at = out.view().find("ADDED"); at != std::string_view::npos;
         at = out.view().find("ADDED", at + 1)) {
      ++told.events;
    }
  }
  EXPECT_TRUE(state && *state == net::BodySource::State::kWaiting);
  return told;
}

net::HttpHeaders AsksForWebSocket() {
  net::HttpHeaders headers;
  headers.Add("connection", "Upgrade");
  headers.Add("upgrade", "websocket");
  headers.Add("sec-websocket-version", "13");
  headers.Add("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
  return headers;
}

TEST_F(LongWatchTest, GivesAboutAsMuchAsThereIsRoomFor) {
  const Told told = ReadAll(Watch("watch=1"));
  EXPECT_EQ(told.events, kObjects);
  EXPECT_LT(told.largest, 32 * 1024U);
}

TEST_F(LongWatchTest, GivesNoMoreOverAWebSocket) {
  const Told told = ReadAll(Watch("watch=1", AsksForWebSocket()));
  EXPECT_EQ(told.events, kObjects);
  EXPECT_LT(told.largest, 32 * 1024U);
}

// However large they are: a client that does not read must not make the server hold many of them.
TEST_F(LongWatchTest, GivesOneObjectAtATimeWhereThereIsRoomForLess) {
  for (const net::HttpHeaders& headers : {net::HttpHeaders(), AsksForWebSocket()}) {
    const Told told = ReadAll(Watch("watch=1", headers, "large"));
    EXPECT_EQ(told.events, kLargeObjects);
    EXPECT_LT(told.largest, 2 * kLargeBytes);
  }
}

TEST_F(LongWatchTest, ComesBackWhenItsTimeIsUpThoughNothingMatches) {
  net::BodySource& source = Watch("watch=1&labelSelector=app%3Dnowhere");
  clock_.SetStep(limits::kWorkAtOnce);
  const Told told = ReadAll(source);
  EXPECT_EQ(told.events, 0U);
  EXPECT_GE(told.reads, kObjects / limits::kCatchUpEvents);
}

}  // namespace
}  // namespace skiff::apiserver
