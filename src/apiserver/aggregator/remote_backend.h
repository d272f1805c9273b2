// A backend whose server is asked over HTTPS.
#pragma once

#include <memory>
#include <string>

#include "apiserver/aggregator/backend.h"

namespace skiff::apiserver {

class BackendCaller;

class RemoteBackend final : public Backend, public std::enable_shared_from_this<RemoteBackend> {
 public:
  // The caller outlives it. Made by std::make_shared().
  RemoteBackend(BackendState state, BackendCaller& caller);
  // Once the caller was stopped, `done` is called before this returns.
  void Get(BackendRequest request, Done done) const override;
  // The same for those of whose servers the same is believed.
  const std::string& trust_key() const { return trust_key_; }

 private:
  BackendCaller& caller_;
  const std::string trust_key_;
};
using RemoteBackendPtr = std::shared_ptr<const RemoteBackend>;

}  // namespace skiff::apiserver
