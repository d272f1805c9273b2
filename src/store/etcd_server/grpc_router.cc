#include "store/etcd_server/grpc_router.h"

#include <algorithm>

namespace skiff {
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

bool IsGrpc(const HttpRequest& request) {
  return request.version == 20 &&
         request.headers.Get("content-type").starts_with("application/grpc");
}

GrpcStatus UnknownMethod(const HttpRequest& request) {
  const std::string_view path = request.path;
  const size_t slash = path.rfind('/');
  const std::string_view service = slash == 0 ? "" : path.substr(1, slash - 1);
  return {GrpcCode::kUnimplemented, "unknown service or method " +
                                        std::string(path.substr(slash + 1)) + " for service " +
                                        std::string(service)};
}

}  // namespace

void GrpcResponder::SendFrame(SharedBytes frame) && {
  on_end_(GrpcCode::kOk);
  std::move(responder_).Respond(GrpcMessageResponse(std::move(frame)));
}

void GrpcResponder::SendStatus(const GrpcStatus& status) && {
  on_end_(status.code);
  std::move(responder_).Respond(GrpcStatusResponse(status));
}

GrpcRouter::GrpcRouter(HttpHandler* other, MetricsRegistry& metrics, size_t max_message_bytes)
    : other_(other),
      max_message_bytes_(max_message_bytes),
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

void GrpcRouter::AddUnimplemented(std::string_view service, std::string_view method) {
  AddMethod("/" + std::string(service) + "/" + std::string(method));
}

const GrpcRouter::Method* GrpcRouter::Find(const HttpRequest& request) const {
  const auto found = methods_.find(request.path);
  return found == methods_.end() ? nullptr : &found->second;
}

GrpcResponder GrpcRouter::MakeResponder(const Method& method, Responder responder) {
  started_.With({method.name, method.service, "unary"}).Add();
  return GrpcResponder(std::move(responder), [this, &method](GrpcCode code) {
    handled_.With({GrpcCodeName(code), method.name, method.service, "unary"}).Add();
  });
}

void GrpcRouter::Handle(HttpRequest request, Responder responder) {
  if (!IsGrpc(request)) return other_->Handle(std::move(request), std::move(responder));
  const Method* method = Find(request);
  if (method == nullptr)
    return std::move(responder).Respond(GrpcStatusResponse(UnknownMethod(request)));
  if (method->stream) {
    // The whole of the request came with its head: it has no message.
    const auto sink =
        StartGrpcStream(method->stream, NewOutput(), max_message_bytes_, std::move(responder));
    sink->OnBytes(request.body);
    return sink->OnEnd();
  }
  GrpcResponder reply = MakeResponder(*method, std::move(responder));
  if (!method->bytes) {
    return std::move(reply).SendStatus(
        {GrpcCode::kUnimplemented, "etcdserver: not implemented: " + method->name});
  }
  const auto message = OnlyMessage(request.body);
  if (!message) return std::move(reply).SendStatus(message.error());
  method->bytes(*message, std::move(reply));
}

void GrpcRouter::HandleTooLarge(HttpRequest request, Responder responder) {
  if (!IsGrpc(request)) return other_->HandleTooLarge(std::move(request), std::move(responder));
  std::move(responder).Respond(GrpcStatusResponse(
      {GrpcCode::kResourceExhausted,
       "grpc: received message larger than max (" + std::to_string(max_message_bytes_) + ")"}));
}

std::unique_ptr<RequestSink> GrpcRouter::HandleStream(HttpRequest& request, Responder& responder) {
  if (!IsGrpc(request)) return nullptr;
  const Method* method = Find(request);
  if (method == nullptr || !method->stream) return nullptr;
  started_.With({method->name, method->service, "bidi_stream"}).Add();
  return StartGrpcStream(method->stream, NewOutput(), max_message_bytes_, std::move(responder));
}

std::shared_ptr<GrpcOutput> GrpcRouter::NewOutput() {
  auto output = std::make_shared<GrpcOutput>();
  std::lock_guard lock(mutex_);
  if (outputs_.size() >= sweep_at_) {
    std::erase_if(outputs_, [](const auto& known) { return known.expired(); });
    sweep_at_ = std::max<size_t>(64, 2 * outputs_.size());
  }
  outputs_.push_back(output);
  if (ended_) output->Finish(kServerStopped);
  return output;
}

void GrpcRouter::EndStreams(const GrpcStatus& status) {
  std::vector<std::weak_ptr<GrpcOutput>> outputs;
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
    outputs.swap(outputs_);
  }
  for (const auto& known : outputs) {
    if (const auto output = known.lock()) output->Finish(status);
  }
}

}  // namespace skiff
