// Whom a webhook configuration says to call, and what comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip_address.h"
#include "base/status.h"
#include "net/client/endpoint.h"

namespace skiff::apiserver {

struct CalledService {
  std::string name_space;
  std::string name;
  std::string path;  // "" or "/mutate"
  int32_t port = 443;

  // The name that its certificate must have.
  std::string HostName() const { return name + "." + name_space + ".svc"; }
};

// Immutable, and shared by all calls. Made once for each webhook of a configuration; those that say
// the same share their connections.
class WebhookTarget {
 public:
  // Of a clientConfig. What is wrong with it is for whoever calls to hear, once it is called.
  static std::shared_ptr<const WebhookTarget> OfUrl(std::string_view url, std::string ca_pem);
  static std::shared_ptr<const WebhookTarget> OfService(CalledService service, std::string ca_pem);

  // Of the URL, or of a service that is not resolved yet.
  const Result<net::ClientEndpoint>& endpoint() const { return endpoint_; }
  const std::optional<CalledService>& service() const { return service_; }
  const std::string& ca_pem() const { return ca_pem_; }
  // "https://host:port/path", as messages have it.
  const std::string& url() const { return url_; }
  const std::string& path() const { return path_; }
  // The same for targets that say the same.
  const std::string& key() const { return key_; }

 private:
  WebhookTarget() = default;
  void MakeKey();

  Result<net::ClientEndpoint> endpoint_ = net::ClientEndpoint();
  std::optional<CalledService> service_;
  std::string ca_pem_;
  std::string url_;
  std::string path_;
  std::string key_;
};

struct WebhookReply {
  int code = 0;
  std::string content_type;
  int retry_after_seconds = 0;
  std::string body;
};

// Why a webhook could not even be called, in contrast to what happened when it was: of a CA bundle
// that cannot be read. The cause that such a status has.
inline constexpr std::string_view kWebhookUnusable = "WebhookUnusable";

}  // namespace skiff::apiserver
