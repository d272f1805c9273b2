#include "grpc/router.h"

#include <algorithm>
#include <atomic>

namespace skiff::grpc {
namespace {

constexpr std::string_view kStartedLabels[] = {"grpc_method", "grpc_service", "grpc_type"};
constexpr std::string_view kHandledLabels[] = {"grpc_code", "grpc_method", "grpc_service",
                                               "grpc_type"};
constexpr MetricSpec kStarted{"grpc_server_started_total",
                              "Total number of RPCs started on the server.", kStartedLabels};
constexpr MetricSpec kHandled{
    "grpc_server_handled_total",
    "Total number of RPCs completed on the server, regardless of success or failure.",
    kHandledLabels};

bool IsGrpc(const net::HttpRequest& request) {
  return request.version == 20 &&
         request.headers.Get("content-type").starts_with("application/grpc");
}

net::HttpResponse ResponseOf(GrpcResult<SharedBytes> result) {
  return result ? GrpcMessageResponse(*std::move(result)) : GrpcStatusResponse(result.error());
}

// Takes what a client goes on sending after its call has been answered.
class DiscardingSink final : public net::RequestSink {
 public:
  void OnBytes(std::string_view) override {}
  void OnEnd() override {}
  void OnGone() override {}
};

GrpcStatus UnknownMethod(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view service = slash == 0 ? "" : path.substr(1, slash - 1);
  return {GrpcCode::kUnimplemented, "unknown service or method " +
                                        std::string(path.substr(slash + 1)) + " for service " +
                                        std::string(service)};
}

}  // namespace

GrpcRouter::GrpcRouter(HttpHandler* other, MetricsRegistry& metrics, Clock& clock,
                       size_t max_message_bytes)
    : other_(other),
      max_message_bytes_(max_message_bytes),
      deadlines_("grpc-deadlines", clock, Timers::AtStop::kForget),
      started_(metrics.AddCounter(kStarted)),
      handled_(metrics.AddCounter(kHandled)) {}

GrpcRouter::Method& GrpcRouter::AddMethod(std::string path) {
  const size_t slash = path.rfind('/');
  Method method;
  method.service = path.substr(1, slash - 1);
  method.name = path.substr(slash + 1);
  return methods_.insert_or_assign(std::move(path), std::move(method)).first->second;
}

void GrpcRouter::AddBytes(std::string path, BytesMethod method) {
  AddMethod(std::move(path)).bytes = std::move(method);
}

void GrpcRouter::AddStream(std::string path, GrpcStreamFactory factory) {
  AddMethod(std::move(path)).stream = std::move(factory);
}

void GrpcRouter::AddUnimplemented(std::string path, GrpcStatus status) {
  AddMethod(std::move(path)).unimplemented = std::move(status);
}

const GrpcRouter::Method* GrpcRouter::Find(const std::string& path) const {
  const auto found = methods_.find(path);
  return found == methods_.end() ? nullptr : &found->second;
}

// Whichever comes first, the answer or the end of its time, is sent.
GrpcResponder::Done GrpcRouter::WithDeadline(Duration timeout, GrpcResponder::Done done) {
  struct Pending {
    std::atomic<bool> is_answered = false;
    GrpcResponder::Done done;
    void Answer(GrpcResult<SharedBytes> result) {
      if (!is_answered.exchange(true)) done(std::move(result));
    }
  };
  auto pending = std::make_shared<Pending>();
  pending->done = std::move(done);
  const Timers::Key key = deadlines_.After(
      timeout, [pending] { pending->Answer(std::unexpected(GrpcDeadlineExceeded())); });
  return [this, pending, key](GrpcResult<SharedBytes> result) {
    deadlines_.Cancel(key);
    pending->Answer(std::move(result));
  };
}

void GrpcRouter::CallMethod(const Method& method, std::string_view message,
                            GrpcResponder::Done done) {
  started_.With({method.name, method.service, "unary"}).Add();
  GrpcResponder responder([this, &method, done = std::move(done)](auto result) mutable {
    const GrpcCode code = result ? GrpcCode::kOk : result.error().code;
    handled_.With({GrpcCodeName(code), method.name, method.service, "unary"}).Add();
    done(std::move(result));
  });
  if (method.bytes) return method.bytes(message, std::move(responder));
  std::move(responder).SendStatus(method.unimplemented);
}

void GrpcRouter::Call(const std::string& path, std::string_view message, GrpcResponder::Done done) {
  const Method* method = Find(path);
  if (method == nullptr) return done(std::unexpected(UnknownMethod(path)));
  CallMethod(*method, message, std::move(done));
}

GrpcStreamCall GrpcRouter::CallStream(const std::string& path) {
  return StartStream(*Find(path), GrpcEncoding::kIdentity, std::nullopt);
}

GrpcStreamCall GrpcRouter::StartStream(const Method& method, GrpcEncoding encoding,
                                       std::optional<Duration> timeout) {
  started_.With({method.name, method.service, "bidi_stream"}).Add();
  const std::shared_ptr<GrpcOutput> output = NewOutput();
  if (timeout) {
    const std::weak_ptr<GrpcOutput> weak = output;
    const Timers::Key key = deadlines_.After(*timeout, [weak] {
      if (const auto late = weak.lock()) late->Finish(GrpcDeadlineExceeded());
    });
    output->SetOnFinish([this, key] { deadlines_.Cancel(key); });
  }
  return MakeGrpcStream(method.stream, output, max_message_bytes_, encoding);
}

// What the client says of how long it waits; nothing: for ever.
GrpcResult<std::optional<Duration>> GrpcRouter::TimeoutOf(const net::HttpRequest& request) {
  const std::string_view text = request.headers.Get("grpc-timeout");
  if (text.empty()) return std::optional<Duration>();
  const std::optional<Duration> timeout = ParseGrpcTimeout(text);
  if (!timeout) {
    return std::unexpected(
        GrpcStatus{GrpcCode::kInternal, "malformed grpc-timeout: " + std::string(text)});
  }
  // What is late already must not happen.
  if (timeout->count() == 0) return std::unexpected(GrpcDeadlineExceeded());
  return timeout;
}

void GrpcRouter::Handle(net::HttpRequest request, net::Responder responder) {
  if (!IsGrpc(request)) return other_->Handle(std::move(request), std::move(responder));
  const Method* method = Find(request.path);
  const std::string_view encoding_name = request.headers.Get("grpc-encoding");
  const auto encoding = ParseGrpcEncoding(encoding_name);
  if (method == nullptr)
    return std::move(responder).Respond(GrpcStatusResponse(UnknownMethod(request.path)));
  if (!encoding) return std::move(responder).Respond(GrpcBadEncodingResponse(encoding_name));
  const auto timeout = TimeoutOf(request);
  if (!timeout) return std::move(responder).Respond(GrpcStatusResponse(timeout.error()));
  if (method->stream) {
    // The whole of the request came with its head: it has no message.
    GrpcStreamCall call = StartStream(*method, *encoding, *timeout);
    std::move(responder).Respond(GrpcStreamResponse(std::move(call.source)));
    call.sink->OnBytes(request.body);
    return call.sink->OnEnd();
  }
  GrpcResponder::Done done = [responder = std::move(responder)](auto result) mutable {
    std::move(responder).Respond(ResponseOf(std::move(result)));
  };
  if (*timeout) done = WithDeadline(**timeout, std::move(done));
  std::string inflated;
  const auto message = OnlyMessage(request.body, max_message_bytes_, *encoding, &inflated);
  // A method that is not there needs no message to say so.
  if (!message && method->bytes) return done(std::unexpected(message.error()));
  CallMethod(*method, message.value_or(""), std::move(done));
}

void GrpcRouter::HandleTooLarge(net::HttpRequest request, net::Responder responder) {
  if (!IsGrpc(request)) return other_->HandleTooLarge(std::move(request), std::move(responder));
  std::move(responder).Respond(GrpcStatusResponse(
      {GrpcCode::kResourceExhausted,
       "grpc: received message larger than max (" + std::to_string(max_message_bytes_) + ")"}));
}

std::unique_ptr<net::RequestSink> GrpcRouter::HandleStream(net::HttpRequest& request,
                                                           net::Responder& responder) {
  if (!IsGrpc(request)) return nullptr;
  const Method* method = Find(request.path);
  if (method != nullptr && method->bytes) return nullptr;
  const std::string_view encoding_name = request.headers.Get("grpc-encoding");
  const auto encoding = ParseGrpcEncoding(encoding_name);
  // Whoever streams to what is not there may wait for the answer before he ends.
  if (method == nullptr || !method->stream) {
    Handle(std::move(request), std::move(responder));
    return std::make_unique<DiscardingSink>();
  }
  if (!encoding) {
    std::move(responder).Respond(GrpcBadEncodingResponse(encoding_name));
    return std::make_unique<DiscardingSink>();
  }
  const auto timeout = TimeoutOf(request);
  if (!timeout) {
    std::move(responder).Respond(GrpcStatusResponse(timeout.error()));
    return std::make_unique<DiscardingSink>();
  }
  GrpcStreamCall call = StartStream(*method, *encoding, *timeout);
  std::move(responder).Respond(GrpcStreamResponse(std::move(call.source)));
  return std::move(call.sink);
}

std::shared_ptr<GrpcOutput> GrpcRouter::NewOutput() {
  auto output = std::make_shared<GrpcOutput>();
  std::lock_guard lock(mutex_);
  if (outputs_.size() >= sweep_at_) {
    std::erase_if(outputs_, [](const auto& known) { return known.expired(); });
    sweep_at_ = std::max<size_t>(64, 2 * outputs_.size());
  }
  outputs_.push_back(output);
  if (ended_) output->Finish(*ended_);
  return output;
}

void GrpcRouter::EndStreams(const GrpcStatus& status) {
  std::vector<std::weak_ptr<GrpcOutput>> outputs;
  {
    std::lock_guard lock(mutex_);
    ended_ = status;
    outputs.swap(outputs_);
  }
  for (const auto& known : outputs) {
    if (const auto output = known.lock()) output->Finish(status);
  }
}

}  // namespace skiff::grpc
