#include "store/etcd/connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/limits.h"

namespace skiff::store {
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

// What the files are named by in messages.
std::string FlagsOf(const EtcdOptions& options) {
  std::string out;
  for (const auto& [flag, file] : {std::pair("--etcd-cafile ", &options.ca_file),
                                   std::pair("--etcd-certfile ", &options.cert_file),
                                   std::pair("--etcd-keyfile ", &options.key_file)}) {
    if (!file->empty()) out += (out.empty() ? "" : ", ") + std::string(flag) + *file;
  }
  return out;
}

}  // namespace

bool EtcdConnection::AddStream(const std::shared_ptr<grpc::GrpcCall>& call) {
  std::unique_lock lock(mutex_);
  if (given_up_) return false;
  streams_.insert(call);
  return true;
}

void EtcdConnection::RemoveStream(const std::shared_ptr<grpc::GrpcCall>& call) {
  std::unique_lock lock(mutex_);
  streams_.erase(call);
}

void EtcdConnection::CancelStreams() {
  std::unique_lock lock(mutex_);
  given_up_ = true;
  for (const auto& call : streams_) call->Cancel();
}

Result<std::shared_ptr<const net::ClientTls>> ReadEtcdCertificates(const EtcdOptions& options,
                                                                   const EtcdEndpoint& endpoint) {
  if (!endpoint.tls) return nullptr;
  net::ClientTlsOptions tls;
  SKIFF_ASSIGN_OR_RETURN(
      tls.ca_pem, ReadPem("--etcd-cafile",
                          options.ca_file.empty() ? std::string(kSystemRoots) : options.ca_file));
  if (!options.cert_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(tls.certificate_pem, ReadPem("--etcd-certfile", options.cert_file));
    SKIFF_ASSIGN_OR_RETURN(tls.key_pem, ReadPem("--etcd-keyfile", options.key_file));
  }
  auto made = net::ClientTls::Make(tls);
  if (!made)
    return Fail(StatusReason::kServiceUnavailable,
                FlagsOf(options) + ": " + made.error().message());
  return made;
}

Result<std::shared_ptr<EtcdConnection>> MakeEtcdConnection(grpc::GrpcClient& client,
                                                           const EtcdOptions& options,
                                                           const EtcdEndpoint& endpoint) {
  grpc::GrpcChannelOptions channel;
  SKIFF_ASSIGN_OR_RETURN(channel.tls, ReadEtcdCertificates(options, endpoint));
  SKIFF_ASSIGN_OR_RETURN(
      channel.endpoint,
      net::ResolveEndpoint((endpoint.tls ? "https://" : "http://") + endpoint.Authority()));
  channel.times.connect = options.dial_timeout;
  channel.times.ping_after = options.keepalive_time;
  channel.times.ping_timeout = options.keepalive_timeout;
  channel.times.idle = Clock::kForever;
  auto out = std::make_shared<EtcdConnection>();
  out->channel = client.MakeChannel(std::move(channel));
  return out;
}

grpc::GrpcCallOptions EtcdCallOptions(std::string_view method, Duration timeout,
                                      bool require_leader) {
  grpc::GrpcCallOptions out{.path = std::string(method), .metadata = {}, .timeout = timeout};
  if (require_leader) out.metadata.Add("hasleader", "true");
  return out;
}

}  // namespace skiff::store
