#include "net/client/http_client.h"

#include <algorithm>
#include <utility>

namespace skiff::net {

HttpClient::HttpClient(std::shared_ptr<EventLoop> loop, HttpClientOptions options)
    : loop_(std::move(loop)),
      options_(std::move(options)),
      shared_{.endpoint = options_.endpoint,
              .tls = options_.endpoint.tls ? options_.tls.get() : nullptr,
              .headers = options_.headers,
              .http1 = !options_.endpoint.tls || options_.only_http1,
              .window = options_.stream_window_bytes} {}

HttpClient::~HttpClient() {
  *alive_ = false;
  if (waiting_timer_) loop_->CancelTimer(*waiting_timer_);
}

HttpClient::RequestId HttpClient::Send(ClientRequest request, ResponseHandler* handler) {
  const RequestId id = next_id_++;
  const Duration now = loop_->clock().Monotonic();
  const Duration deadline =
      request.timeout == Clock::kForever ? Clock::kForever : now + request.timeout;
  if (closed_) {
    FailLater(handler, id, Status(StatusReason::kServiceUnavailable, "the client was closed"));
  } else if (ClientConnection* connection = waiting_.empty() ? FindRoom() : nullptr) {
    connection->Send(id, std::move(request), handler, deadline);
  } else if (waiting_.size() < limits::kMaxClientWaiting) {
    waiting_.push_back({id, std::move(request), handler, deadline});
    CheckWaiting();
  } else {
    FailLater(handler, id,
              Status(StatusReason::kTooManyRequests, "too many requests wait to be sent"));
  }
  return id;
}

void HttpClient::FailLater(ResponseHandler* handler, RequestId id, Status why) {
  refused_.push_back({id, {}, handler, Clock::kForever});
  loop_->Post([this, id, why = std::move(why), alive = alive_] {
    if (!*alive) return;
    const auto found =
        std::ranges::find_if(refused_, [id](const Waiting& one) { return one.id == id; });
    if (found == refused_.end()) return;
    ResponseHandler* told = found->handler;
    refused_.erase(found);
    told->OnEnd(std::unexpected(why));
  });
}

// The connections that do not have the request do nothing.
void HttpClient::SendMore(RequestId id, SharedBytes bytes) {
  for (const auto& connection : connections_) connection->SendMore(id, bytes);
}

void HttpClient::EndBody(RequestId id) {
  for (const auto& connection : connections_) connection->EndBody(id);
}

void HttpClient::SetHeld(RequestId id, bool held) {
  for (const auto& connection : connections_) connection->Hold(id, held);
}

void HttpClient::Cancel(RequestId id) {
  for (const auto& connection : connections_)
    if (connection->Cancel(id)) return;
  const auto is_it = [id](const Waiting& one) { return one.id == id; };
  std::erase_if(waiting_, is_it);
  std::erase_if(refused_, is_it);
}

void HttpClient::Close() {
  if (std::exchange(closed_, true)) return;
  const Status why(StatusReason::kServiceUnavailable, "the client was closed");
  while (!connections_.empty()) connections_.back()->Close(why);
  for (Waiting& one : std::exchange(waiting_, {})) one.handler->OnEnd(std::unexpected(why));
}

size_t HttpClient::open() const {
  size_t count = waiting_.size() + refused_.size();
  for (const auto& connection : connections_) count += connection->streams();
  return count;
}

ClientConnection* HttpClient::FindRoom() {
  ClientConnection* best = nullptr;
  for (const auto& connection : connections_)
    if (connection->HasRoom(options_.streams_per_connection) &&
        (best == nullptr || connection->streams() < best->streams()))
      best = connection.get();
  const size_t most = shared_.http1 ? limits::kClientHttp1Connections : options_.connections;
  if (best != nullptr || connections_.size() >= most) return best;
  connections_.push_back(std::make_unique<ClientConnection>(*loop_, *this, shared_));
  best = connections_.back().get();
  best->Start();
  return best;
}

void HttpClient::SendWaiting() {
  while (!waiting_.empty() && !closed_) {
    ClientConnection* connection = FindRoom();
    if (connection == nullptr) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    connection->Send(next.id, std::move(next.request), next.handler, next.deadline);
  }
}

// Those whose time is over without having been sent are looked for now and then; a request that is
// sent has a timer of its own.
void HttpClient::CheckWaiting() {
  constexpr std::chrono::milliseconds kInterval{100};
  if (waiting_timer_ || waiting_.empty()) return;
  waiting_timer_ = loop_->AddTimer(loop_->clock().Monotonic() + kInterval, [this] {
    waiting_timer_.reset();
    std::vector<ResponseHandler*> late;
    std::erase_if(waiting_, [&](const Waiting& one) {
      if (one.deadline > loop_->now()) return false;
      late.push_back(one.handler);
      return true;
    });
    for (ResponseHandler* handler : late)
      handler->OnEnd(Fail(StatusReason::kTimeout, "the time was over before it could be sent"));
    CheckWaiting();
  });
}

void HttpClient::OnRoom(ClientConnection& connection) {
  SendWaiting();
  if (shared_.http1) DropIdle(connection);
}

void HttpClient::DropIdle(ClientConnection& connection) {
  if (connection.streams() != 0) return;
  const auto idle =
      std::ranges::count_if(connections_, [](const auto& one) { return one->streams() == 0; });
  if (idle > static_cast<ptrdiff_t>(limits::kClientHttp1Idle)) connection.Drain();
}

// Ahead of those that came later. They go on in another turn, since the connection is not done yet.
void HttpClient::OnReturned(std::unique_ptr<ClientStream> stream) {
  Waiting returned{stream->id, std::move(stream->request), stream->handler, stream->deadline};
  const auto later =
      std::ranges::find_if(waiting_, [&](const Waiting& one) { return one.id > returned.id; });
  waiting_.insert(later, std::move(returned));
  CheckWaiting();
  loop_->Post([this, alive = alive_] {
    if (*alive) SendWaiting();
  });
}

void HttpClient::OnClosed(ClientConnection& connection) {
  const auto found =
      std::ranges::find_if(connections_, [&](const auto& one) { return one.get() == &connection; });
  if (found == connections_.end()) return;
  loop_->Retire(std::move(*found));
  connections_.erase(found);
  if (!closed_ && !waiting_.empty()) {
    loop_->Post([this, alive = alive_] {
      if (*alive) SendWaiting();
    });
  }
}

}  // namespace skiff::net
