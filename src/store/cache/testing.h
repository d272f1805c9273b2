// What the tests of the cache share: pods over a scripted store whose time stands still, and
// answers as short texts.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "store/cache/resource_cache.h"
#include "store/cache/scripted_store.h"

namespace skiff::store {

inline constexpr std::string_view kPodsPrefix = "/registry/pods/";

// A pod as JSON at rest. `labels` and `node` may be empty: "app=web,tier=front".
inline std::string PodBytes(std::string_view key, std::string_view labels = {},
                            std::string_view node = {}) {
  std::string map;
  while (!labels.empty()) {
    const std::string_view label = labels.substr(0, labels.find(','));
    labels.remove_prefix(std::min(labels.size(), label.size() + 1));
    const size_t equals = label.find('=');
    map += (map.empty() ? "\"" : ",\"") + std::string(label.substr(0, equals)) + "\":\"" +
           std::string(label.substr(equals + 1)) + "\"";
  }
  const size_t slash = key.find('/');
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" +
         std::string(key.substr(slash + 1)) + R"(","namespace":")" +
         std::string(key.substr(0, slash)) + R"(","labels":{)" + map +
         R"(}},"spec":{"nodeName":")" + std::string(node) + R"("}})";
}

inline std::shared_ptr<const FactsReader> PodFacts() {
  auto reader = FactsReader::Make(*object::FindPreferredResource("", "pods")->hub);
  EXPECT_TRUE(reader) << reader.error().ToString();
  return std::make_shared<const FactsReader>(std::move(*reader));
}

inline std::string ErrorText(const Status& error) {
  return std::to_string(error.code()) + " " + error.message();
}

// "ns/a@2 ns/b@3, rv 5", and ", more" or ", more (7)" when there is another page.
inline std::string TextOf(ListReply& reply) {
  std::string out;
  ListCursor at = reply.Entries();
  while (const CacheEntry* entry = at.Next()) {
    out += (out.empty() ? "" : " ") + std::string(entry->key()) + "@" +
           std::to_string(entry->revision().value);
  }
  out += (out.empty() ? "rv " : ", rv ") + std::to_string(reply.revision().value);
  if (!reply.page().continue_token.empty()) out += ", more";
  if (reply.page().remaining) out += " (" + std::to_string(*reply.page().remaining) + ")";
  return out;
}

// The consumer of one watch.
class WatchClient {
 public:
  std::move_only_function<void()> WakeUp() {
    return [this] { ++wakes; };
  }
  // "ADDED ns/a@2 BOOKMARK@5", then " END 410 …" if the watch has ended.
  std::string Drain(size_t max = 100) {
    std::string out;
    std::vector<WatchItem> items;
    Watcher::Progress progress = Watcher::Progress::kMore;
    while (progress == Watcher::Progress::kMore) {
      items.clear();
      progress = watcher->Take(max, items);
      for (const WatchItem& item : items) out += (out.empty() ? "" : " ") + TextOf(item);
    }
    if (progress == Watcher::Progress::kEnded) {
      out += (out.empty() ? "END " : " END ") + ErrorText(watcher->why());
    }
    return out;
  }
  static std::string TextOf(const WatchItem& item) {
    constexpr std::string_view kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
    std::string out(kNames[static_cast<size_t>(item.type)]);
    if (item.type == EventType::kBookmark) {
      if (item.event->initial_end()) out += "(initial end)";
    } else {
      out += " " + std::string(item.event->Object(item.type)->key());
    }
    return out + "@" + std::to_string(item.event->revision().value);
  }

  std::unique_ptr<Watcher> watcher;
  int wakes = 0;
};

class CacheTestBase : public ::testing::Test {
 protected:
  CacheOptions Options() {
    CacheOptions options;
    options.prefix = kPodsPrefix;
    options.facts = PodFacts();
    options.symbols = &symbols_;
    return options;
  }
  void Start() { Start(Options()); }
  void Start(CacheOptions options) {
    cache_.emplace(store_, clock_, random_, std::move(options));
    cache_->Start([this](Result<Revision> revision) { loaded_ = std::move(revision); });
  }

  int64_t Put(std::string_view key, std::string_view labels = {}, std::string_view node = {}) {
    return store_.Put(std::string(kPodsPrefix) + std::string(key), PodBytes(key, labels, node));
  }
  int64_t Delete(std::string_view key) {
    return store_.Delete(std::string(kPodsPrefix) + std::string(key));
  }
  // A write of another resource.
  int64_t PutOther() { return store_.Put("/registry/secrets/ns/s", "x"); }

  void Tick(Duration by = std::chrono::milliseconds(100)) {
    clock_.Advance(by);
    cache_->Tick();
  }
  // Time passes as it does for the owner: in ticks.
  void Pass(Duration by) {
    for (Duration at{0}; at < by; at += std::chrono::milliseconds(100)) Tick();
  }

  using ListAnswer = std::shared_ptr<std::optional<Result<ListReply>>>;
  ListAnswer StartList(CacheListRequest request) {
    auto answer = std::make_shared<std::optional<Result<ListReply>>>();
    cache_->List(std::move(request), [answer](Result<ListReply> reply) {
      EXPECT_FALSE(answer->has_value()) << "answered twice";
      answer->emplace(std::move(reply));
    });
    return answer;
  }
  static std::string TextOf(const ListAnswer& answer) {
    if (!answer->has_value()) return "waits";
    Result<ListReply>& reply = **answer;
    return reply ? store::TextOf(*reply) : ErrorText(reply.error());
  }
  std::string List(CacheListRequest request = {}) { return TextOf(StartList(std::move(request))); }
  // The token of the answer goes to `token`.
  std::string ListPage(CacheListRequest request, std::string* token) {
    const ListAnswer answer = StartList(std::move(request));
    if (answer->has_value() && (*answer)->has_value()) *token = (***answer).page().continue_token;
    return TextOf(answer);
  }

  using GetAnswer = std::shared_ptr<std::string>;
  // "ns/a@2, rv 5" or "none, rv 5"; "waits" until it is there.
  GetAnswer StartGet(std::string_view key, std::string_view resource_version) {
    auto answer = std::make_shared<std::string>("waits");
    const size_t slash = key.find('/');
    cache_->Get({.name_space = std::string(key.substr(0, slash)),
                 .name = std::string(key.substr(slash + 1)),
                 .resource_version = std::string(resource_version)},
                [answer](Result<CacheGetReply> reply) {
                  if (!reply) {
                    *answer = ErrorText(reply.error());
                    return;
                  }
                  *answer = !reply->entry ? "none"
                                          : std::string(reply->entry->key()) + "@" +
                                                std::to_string(reply->entry->revision().value);
                  *answer += ", rv " + std::to_string(reply->revision.value);
                });
    return answer;
  }
  std::string Get(std::string_view key, std::string_view resource_version = {}) {
    return *StartGet(key, resource_version);
  }

  // Empty, or the error.
  std::string Watch(CacheWatchRequest request, WatchClient& client) {
    std::string error = "waits";
    request.wake = client.WakeUp();
    cache_->Watch(std::move(request), [&](Result<std::unique_ptr<Watcher>> watcher) {
      error = watcher ? "" : ErrorText(watcher.error());
      if (watcher) client.watcher = std::move(*watcher);
    });
    return error;
  }
  std::string WatchFrom(int64_t revision, WatchClient& client) {
    CacheWatchRequest request;
    request.resource_version = std::to_string(revision);
    return Watch(std::move(request), client);
  }

  static SelectionRequest Labels(std::string_view selector) {
    SelectionRequest request;
    request.labels = object::LabelSelector::Parse(selector).value();
    return request;
  }
  static SelectionRequest Fields(std::string_view selector) {
    SelectionRequest request;
    request.fields = object::FieldSelector::Parse(selector).value();
    return request;
  }
  static SelectionRequest Namespace(std::string name_space) {
    SelectionRequest request;
    request.name_space = std::move(name_space);
    return request;
  }

  object::SymbolTable symbols_;
  ManualClock clock_;
  SeededRandom random_{1};
  ScriptedStore store_;
  std::optional<Result<Revision>> loaded_;
  std::optional<ResourceCache> cache_;
};

}  // namespace skiff::store
