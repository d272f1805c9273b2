// Extension API servers for tests: what they answer, the test says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/aggregator/backend.h"
#include "base/executor.h"
#include "object/json/decode.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {

class FakeBackend final : public Backend {
 public:
  using Answer = std::function<Result<BackendReply>(const BackendRequest&)>;
  FakeBackend(BackendState state, Executor& executor, Answer& answer)
      : Backend(std::move(state)), executor_(executor), answer_(answer) {}
  void Get(BackendRequest request, Done done) const override {
    executor_.Post([this, request = std::move(request), done = std::move(done)]() mutable {
      done(answer_(request));
    });
  }

 private:
  Executor& executor_;
  Answer& answer_;
};

class FakeBackends final : public Backends {
 public:
  explicit FakeBackends(Executor& executor) : executor_(executor) {}
  std::vector<std::shared_ptr<const Backend>> All() const override {
    std::vector<std::shared_ptr<const Backend>> out;
    for (const auto& [name, backend] : known) out.push_back(backend);
    return out;
  }
  std::shared_ptr<const Backend> Find(std::string_view name) const override {
    const auto found = known.find(std::string(name));
    return found != known.end() ? found->second : nullptr;
  }
  bool synced() const override { return true; }
  void OnChange(std::function<void()>) override {}
  Executor& executor() override { return executor_; }

  std::map<std::string, std::shared_ptr<const Backend>> known;

 private:
  Executor& executor_;
};

// An APIService of the group a.com.
inline object::Document RemoteApiService(const std::string& version, const std::string& service,
                                         bool available = true) {
  auto object = object::DecodeJson(
      R"({"metadata":{"name":")" + version + R"(.a.com"},"spec":{"group":"a.com","version":")" +
          version +
          R"(","groupPriorityMinimum":10,"versionPriority":5,"service":{"namespace":"n","name":")" +
          service + R"("}},"status":{"conditions":[{"type":"Available","status":")" +
          (available ? "True" : "False") + R"("}]}})",
      views::apiregistration_k8s_io_v1::APIService::Type());
  return object ? std::move(*object) : object::Document();
}

inline BackendReply FakeReply(int code, std::string body, std::string_view type,
                              std::string etag = "") {
  BackendReply out{.code = code, .headers = {}, .body = std::move(body)};
  out.headers.Add("content-type", std::string(type));
  if (!etag.empty()) out.headers.Add("etag", std::move(etag));
  return out;
}

}  // namespace skiff::apiserver
