#include "client/https/connections.h"

#include <algorithm>
#include <utility>

namespace skiff::client {
namespace {

bool SameFiles(const net::ClientTlsOptions& a, const net::ClientTlsOptions& b) {
  return a.ca_pem == b.ca_pem && a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem;
}

}  // namespace

Result<std::shared_ptr<HttpsConnections>> HttpsConnections::Open(
    std::shared_ptr<net::EventLoop> loop, const RestConfig& config, ConnectionOptions options) {
  SKIFF_RETURN_IF_ERROR(CheckRestConfig(config));
  std::shared_ptr<HttpsConnections> made(
      new HttpsConnections(std::move(loop), config, std::move(options)));
  SKIFF_ASSIGN_OR_RETURN(made->endpoint_, net::ParseEndpoint(config.server));
  // A name that is not known yet may be later; requests then say what is wrong.
  if (const auto resolved = net::ResolveEndpoint(config.server)) made->endpoint_ = *resolved;
  if (!made->endpoint_.tls) return made;
  SKIFF_ASSIGN_OR_RETURN(made->tls_options_, LoadTls(config));
  SKIFF_ASSIGN_OR_RETURN(made->tls_, net::ClientTls::Make(made->tls_options_));
  return made;
}

HttpsConnections::HttpsConnections(std::shared_ptr<net::EventLoop> loop, const RestConfig& config,
                                   ConnectionOptions options)
    : loop_(std::move(loop)),
      config_(config),
      options_(std::move(options)),
      checked_(loop_->clock().Monotonic()),
      resolved_(checked_ - limits::kResolveInterval) {}

HttpsConnections::~HttpsConnections() {
  for (Generation& one : clients_) one.client->Close();
}

net::HttpClient& HttpsConnections::Current() {
  if (clients_.empty()) Replace();
  return *clients_.back().client;
}

void HttpsConnections::Replace() {
  net::HttpClientOptions options;
  options.endpoint = endpoint_;
  options.tls = tls_;
  clients_.push_back(
      {++last_generation_, std::make_unique<net::HttpClient>(loop_, std::move(options))});
}

void HttpsConnections::DropIdle() {
  if (clients_.size() < 2) return;
  const auto is_idle = [&](const Generation& one) {
    if (one.number == last_generation_ || one.client->open() != 0) return false;
    one.client->Close();
    return true;
  };
  std::erase_if(clients_, is_idle);
}

bool HttpsConnections::CheckFiles() {
  checked_ = loop_->clock().Monotonic();
  if (!endpoint_.tls) return false;
  Result<net::ClientTlsOptions> read = LoadTls(config_);
  if (read && SameFiles(*read, tls_options_)) return false;
  // A certificate and its key are two files, which do not change at once: until both fit, the old
  // ones are used.
  Result<std::shared_ptr<const net::ClientTls>> made =
      read ? net::ClientTls::Make(*read) : std::unexpected(std::move(read).error());
  if (!made) {
    if (options_.log != nullptr)
      options_.log->Warning("certificates of a client stay as they are",
                            {{"server", endpoint_.ToString()}, {"err", made.error().message()}});
    return false;
  }
  tls_options_ = *std::move(read);
  tls_ = *std::move(made);
  if (!clients_.empty()) Replace();
  return true;
}

HttpsConnections::Ticket HttpsConnections::Send(net::ClientRequest request,
                                                net::ResponseHandler* handler) {
  if (loop_->clock().Monotonic() - checked_ >= options_.check_interval) {
    CheckFiles();
    DropIdle();
  }
  const net::HttpClient::RequestId id = Current().Send(std::move(request), handler);
  return {last_generation_, id};
}

void HttpsConnections::Cancel(Ticket ticket) {
  const auto found = std::ranges::find(clients_, ticket.generation, &Generation::number);
  if (found != clients_.end()) found->client->Cancel(ticket.id);
}

bool HttpsConnections::RenewCertificate() {
  return !config_.certificate.file.empty() && CheckFiles();
}

std::string HttpsConnections::CertificateFault() const {
  const auto until = tls_ != nullptr ? tls_->certificate_not_after() : std::nullopt;
  if (!until || *until > loop_->clock().Wall()) return {};
  return "the certificate of this client" +
         (config_.certificate.file.empty() ? "" : " (" + config_.certificate.file + ")") +
         " has expired and must be renewed";
}

void HttpsConnections::OnUnreachable() {
  const Duration now = loop_->clock().Monotonic();
  if (resolving_ || now - resolved_ < limits::kResolveInterval) return;
  if (IpAddress::Parse(endpoint_.host)) return;
  resolving_ = true;
  resolved_ = now;
  resolver_ = std::make_unique<Thread>(
      "resolver", [loop = loop_, weak = weak_from_this(), url = config_.server] {
        auto endpoint = net::ResolveEndpoint(url);
        loop->Post([weak, endpoint = std::move(endpoint)] {
          const auto self = weak.lock();
          if (self == nullptr) return;
          self->resolving_ = false;
          if (!endpoint || endpoint->addresses == self->endpoint_.addresses) return;
          self->endpoint_ = *endpoint;
          if (!self->clients_.empty()) self->Replace();
        });
      });
}

}  // namespace skiff::client
