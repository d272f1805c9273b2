#include "apiserver/webhook/webhook_target.h"

#include <utility>

#include "crypto/digest.h"

namespace skiff::apiserver {

std::shared_ptr<const WebhookTarget> WebhookTarget::OfUrl(std::string_view url,
                                                          std::string ca_pem) {
  std::shared_ptr<WebhookTarget> out(new WebhookTarget());
  out->ca_pem_ = std::move(ca_pem);
  out->endpoint_ = net::ParseEndpoint(url);
  if (out->endpoint_) {
    net::ClientEndpoint& endpoint = *out->endpoint_;
    out->path_ = endpoint.base_path.empty() ? "/" : std::exchange(endpoint.base_path, {});
    out->url_ = (endpoint.tls ? "https://" : "http://") + endpoint.authority + out->path_;
  } else {
    out->url_ = url;
  }
  out->MakeKey();
  return out;
}

std::shared_ptr<const WebhookTarget> WebhookTarget::OfService(CalledService service,
                                                              std::string ca_pem) {
  std::shared_ptr<WebhookTarget> out(new WebhookTarget());
  out->ca_pem_ = std::move(ca_pem);
  net::ClientEndpoint endpoint;
  endpoint.host = service.HostName();
  endpoint.port = static_cast<uint16_t>(service.port);
  endpoint.authority = endpoint.host + ":" + std::to_string(service.port);
  out->path_ = service.path.empty() ? "/" : service.path;
  out->url_ = "https://" + endpoint.authority + out->path_;
  out->endpoint_ = std::move(endpoint);
  out->service_ = std::move(service);
  out->MakeKey();
  return out;
}

void WebhookTarget::MakeKey() {
  const std::string authority = endpoint_ ? endpoint_->ToString() : url_;
  const std::string text = (service_ ? "service " : "url ") + authority + "\n" + ca_pem_;
  key_ = crypto::AsBytes(crypto::Sha256(text));
}

}  // namespace skiff::apiserver
