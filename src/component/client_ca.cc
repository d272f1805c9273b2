#include "component/client_ca.h"

#include <chrono>
#include <utility>

#include "views/core/v1.h"

namespace skiff::component {
namespace {

constexpr Duration kPeriod = std::chrono::minutes(1);

}  // namespace

Task<Result<std::string>> ReadClientCa(client::Client client) {
  client::ObjectName name{"kube-system", "extension-apiserver-authentication"};
  const auto map = co_await client.Get(client::BuiltIn("", "v1", "configmaps"), std::move(name));
  if (!map) co_return std::unexpected(map.error());
  const auto view = object::ViewAs<views::core_v1::ConfigMap>(**map);
  if (!view) co_return Fail(StatusReason::kInternalError, "the server answered with no ConfigMap");
  co_return std::string(view->data().Get("client-ca-file"));
}

ClientCaFollower::ClientCaFollower(client::Client client, std::string current, MemoryFile& file,
                                   Log& log)
    : client_(std::move(client)),
      executor_(client_.executor()),
      current_(std::move(current)),
      file_(file),
      log_(log) {
  Schedule();
}

ClientCaFollower::~ClientCaFollower() {
  *alive_ = false;
  executor_.Cancel(timer_);
}

void ClientCaFollower::Schedule() {
  timer_ = executor_.After(kPeriod, [this] {
    Detach<Result<std::string>>(ReadClientCa(client_),
                                [this, alive = alive_](Result<std::string> read) {
                                  if (*alive) Take(std::move(read));
                                });
  });
}

void ClientCaFollower::Take(Result<std::string> read) {
  // While the server is away, what it said last stays.
  if (read && !read->empty() && *read != current_) {
    current_ = std::move(*read);
    if (const Result<void> written = file_.Write(current_); !written) {
      log_.Error("the CA of clients cannot be replaced", {{"err", written.error().message()}});
    }
  }
  Schedule();
}

}  // namespace skiff::component
