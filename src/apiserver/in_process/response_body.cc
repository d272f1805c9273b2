#include "apiserver/in_process/response_body.h"

#include <utility>

#include "base/buffer.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kBytesAtOnce = size_t{64} << 10;

}  // namespace

ResponseBody::ResponseBody(std::shared_ptr<ExecutorLink> link, net::HttpResponse response,
                           Calls calls)
    : link_(std::move(link)), response_(std::move(response)), calls_(std::move(calls)) {}

void ResponseBody::Start() {
  const auto self = shared_from_this();
  if (response_.source == nullptr) {
    if (!response_.body.empty()) calls_.on_bytes(response_.body.view());
    if (self.use_count() > 1) End({});
    return;
  }
  response_.source->OnStart([link = link_, weak = weak_from_this()] {
    link->Post([weak] {
      if (const auto body = weak.lock()) body->Read();
    });
  });
  Read();
}

void ResponseBody::Read() {
  const auto self = shared_from_this();
  if (response_.source == nullptr || calls_.on_end == nullptr) return;
  ByteBuffer out;
  const Result<net::BodySource::State> state = response_.source->Read(out, kBytesAtOnce);
  if (!state) return End(std::unexpected(state.error()));
  if (!out.view().empty()) calls_.on_bytes(out.view());
  if (self.use_count() == 1) return;  // the owner has let go of it, and may be gone itself
  if (*state == net::BodySource::State::kEnd) return End({});
  if (*state == net::BodySource::State::kWaiting) return;
  link_->Post([weak = weak_from_this()] {
    if (const auto body = weak.lock()) body->Read();
  });
}

void ResponseBody::End(const Result<void>& outcome) {
  response_.source.reset();
  if (const auto end = std::exchange(calls_.on_end, nullptr)) end(outcome);
}

}  // namespace skiff::apiserver
