#include "store/etcd/connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include <grpc/support/log.h>
#include <grpc/support/time.h>

#include "base/limits.h"

namespace skiff {
namespace {

constexpr char kSystemRoots[] = "/etc/ssl/certs/ca-certificates.crt";

Result<std::string> ReadPem(std::string_view flag, const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto failed = [&](std::string_view what) {
    return Fail(StatusReason::kServiceUnavailable,
                std::string(flag) + " " + path + ": " + std::string(what));
  };
  if (file < 0) return failed(std::strerror(errno));
  std::string out;
  char piece[16 * 1024];
  ssize_t count = 0;
  while ((count = read(file, piece, sizeof piece)) > 0 &&
         out.size() <= limits::kMaxEtcdCertificateBytes)
    out.append(piece, static_cast<size_t>(count));
  const int error = errno;
  close(file);
  if (count < 0) return failed(std::strerror(error));
  if (out.size() > limits::kMaxEtcdCertificateBytes) return failed("is too large for certificates");
  if (out.find("-----BEGIN ") == out.npos) return failed("holds no PEM block");
  return out;
}

Result<std::shared_ptr<grpc::ChannelCredentials>> Credentials(const EtcdOptions& options,
                                                              bool tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions pem;
  SKIFF_ASSIGN_OR_RETURN(
      pem.pem_root_certs,
      ReadPem("--etcd-cafile",
              options.ca_file.empty() ? std::string(kSystemRoots) : options.ca_file));
  if (!options.cert_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(pem.pem_cert_chain, ReadPem("--etcd-certfile", options.cert_file));
    SKIFF_ASSIGN_OR_RETURN(pem.pem_private_key, ReadPem("--etcd-keyfile", options.key_file));
  }
  return grpc::SslCredentials(pem);
}

// gRPC tells its errors with each call; what it would write to the terminal besides only repeats
// them. What it says before it ends the process is let through.
void LogOfGrpc(gpr_log_func_args* args) {
  const std::string_view text = args->message;
  if (text.find("assertion failed") == text.npos) return;
  const std::string line = "grpc: " + std::string(text) + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

// gRPC's threads for callbacks end with the last channel that uses them. If one of these threads is
// the one to let go of it, it waits for itself and the process is ended. So a channel that leads
// nowhere, on which a call has failed, is kept for as long as the process lives.
struct Keeper {
  std::shared_ptr<grpc::Channel> channel = grpc::CreateChannel("", nullptr);
  std::unique_ptr<etcdserverpb::Maintenance::Stub> stub =
      etcdserverpb::Maintenance::NewStub(channel);
  grpc::ClientContext context;
  etcdserverpb::StatusRequest request;
  etcdserverpb::StatusResponse response;
};

void PrepareGrpc() {
  gpr_set_log_function(LogOfGrpc);
  // Where the leak detector finds it, though nobody looks for it again.
  [[gnu::used]] static Keeper* const keeper = new Keeper;
  keeper->stub->async()->Status(&keeper->context, &keeper->request, &keeper->response,
                                [](const grpc::Status&) {});
}

int Milliseconds(Duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(std::min<int64_t>(count, INT_MAX));
}

grpc::ChannelArguments Arguments(const EtcdOptions& options) {
  grpc::ChannelArguments out;
  out.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive_time));
  out.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keepalive_timeout));
  // Otherwise a quiet watch would be pinged only twice.
  out.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  out.SetInt(GRPC_ARG_HTTP2_MIN_SENT_PING_INTERVAL_WITHOUT_DATA_MS,
             Milliseconds(options.keepalive_time));
  // etcd forbids pings while nothing is under way.
  out.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  out.SetMaxSendMessageSize(static_cast<int>(limits::kMaxEtcdSentBytes));
  out.SetMaxReceiveMessageSize(-1);
  // Calls are tried again by us alone, who know which ones may be.
  out.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  out.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  out.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // A new channel is a new connection, with the certificates of now.
  out.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  out.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, Milliseconds(options.dial_timeout));
  out.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, Milliseconds(options.max_backoff));
  out.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1000);
  return out;
}

}  // namespace

bool EtcdConnection::AddStream(grpc::ClientContext* context) {
  std::unique_lock lock(mutex_);
  if (given_up_) return false;
  streams_.insert(context);
  return true;
}

void EtcdConnection::RemoveStream(grpc::ClientContext* context) {
  std::unique_lock lock(mutex_);
  streams_.erase(context);
}

void EtcdConnection::CancelStreams() {
  std::unique_lock lock(mutex_);
  given_up_ = true;
  for (grpc::ClientContext* context : streams_) context->TryCancel();
}

Result<std::shared_ptr<EtcdConnection>> MakeEtcdConnection(const EtcdOptions& options,
                                                           const EtcdEndpoint& endpoint) {
  static std::once_flag prepared;
  std::call_once(prepared, PrepareGrpc);
  SKIFF_ASSIGN_OR_RETURN(const auto credentials, Credentials(options, endpoint.tls));
  auto out = std::make_shared<EtcdConnection>();
  out->channel = grpc::CreateCustomChannel(endpoint.Target(), credentials, Arguments(options));
  out->kv = etcdserverpb::KV::NewStub(out->channel);
  out->lease = etcdserverpb::Lease::NewStub(out->channel);
  out->watch = etcdserverpb::Watch::NewStub(out->channel);
  out->maintenance = etcdserverpb::Maintenance::NewStub(out->channel);
  return out;
}

void SetEtcdTimeout(grpc::ClientContext& context, Duration timeout) {
  context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                    gpr_time_from_nanos(timeout.count(), GPR_TIMESPAN)));
}

void RequireEtcdLeader(grpc::ClientContext& context) { context.AddMetadata("hasleader", "true"); }

}  // namespace skiff
