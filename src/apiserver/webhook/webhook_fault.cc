#include "apiserver/webhook/webhook_fault.h"

#include <cctype>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "apiserver/webhook/webhook_status.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kUntrusted = "its certificate is not trusted: ";
// How much of an answer is repeated that is text.
constexpr size_t kMaxRepeatedBytes = 2048;

std::string CertificateFault(std::string_view why) {
  const std::string prefix = "tls: failed to verify certificate: x509: ";
  const auto says = [&](std::string_view text) { return why.find(text) != why.npos; };
  if (says("expired") || says("not yet valid")) {
    return prefix + "certificate has expired or is not yet valid";
  }
  if (says("self-signed") || says("self signed") || says("issuer certificate") ||
      says("unable to verify the first")) {
    return prefix + "certificate signed by unknown authority";
  }
  if (says("mismatch")) {
    return prefix + "certificate is not valid for the name that was asked for";
  }
  return prefix + std::string(why);
}

bool IsText(std::string_view content_type) {
  return content_type.empty() || content_type.starts_with("text/");
}

// What stands in the place of a message of the server.
std::string TextOfBody(const WebhookReply& reply) {
  if (!IsText(reply.content_type)) return "unknown";
  return std::string(TrimSpace(std::string_view(reply.body).substr(0, kMaxRepeatedBytes)));
}

struct Meaning {
  int code;
  StatusReason reason;
  std::string_view message;
};
constexpr Meaning kMeanings[] = {
    {400, StatusReason::kBadRequest, "the server rejected our request for an unknown reason"},
    {401, StatusReason::kUnauthorized,
     "the server has asked for the client to provide credentials"},
    {404, StatusReason::kNotFound, "the server could not find the requested resource"},
    {405, StatusReason::kMethodNotAllowed,
     "the server does not allow this method on the requested resource"},
    {409, StatusReason::kAlreadyExists, "the server reported a conflict"},
    {422, StatusReason::kInvalid, "the server rejected our request due to an error in our request"},
    {429, StatusReason::kTooManyRequests,
     "the server has received too many requests and has asked us to try again later"},
    {503, StatusReason::kServiceUnavailable,
     "the server is currently unable to handle the request"},
    {504, StatusReason::kTimeout,
     "the server was unable to return a response in the time allotted, but may still be "
     "processing the request"},
};

}  // namespace

std::string ConnectionFault(const Status& fault, const net::ClientEndpoint& endpoint) {
  std::string_view text = fault.message();
  const std::string prefix = endpoint.ToString() + ": ";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text.starts_with(kUntrusted)) return CertificateFault(text.substr(kUntrusted.size()));
  if (fault.reason() == StatusReason::kTimeout || text == "no connection in time") {
    return "context deadline exceeded";
  }
  if (text == "the server closed the connection") return "EOF";
  for (const int error : {ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ECONNRESET}) {
    std::string known = std::generic_category().message(error);
    if (text != known) continue;
    known[0] = static_cast<char>(std::tolower(known[0]));
    const std::string address = endpoint.addresses.empty()
                                    ? endpoint.authority
                                    : endpoint.addresses.back().WithPort(endpoint.port);
    if (error == ECONNRESET) return "read tcp " + address + ": " + known + " by peer";
    return "dial tcp " + address + ": connect: " + known;
  }
  return std::string(text);
}

Status FaultOfReply(const WebhookReply& reply) {
  if (std::optional<Status> said = StatusOfJson(reply.body); said) return std::move(*said);
  const std::string text = TextOfBody(reply);
  for (const Meaning& each : kMeanings) {
    if (each.code == reply.code) return Status(each.reason, std::string(each.message));
  }
  if (reply.code == 403) return Status(StatusReason::kForbidden, text);
  if (reply.code == 406) {
    return Status(StatusReason::kNotAcceptable,
                  text.empty() || text == "unknown"
                      ? "the server was unable to respond with a content type that the client "
                        "supports"
                      : text);
  }
  if (reply.code == 415) return Status(StatusReason::kUnsupportedMediaType, text);
  if (reply.code >= 500) {
    return Status(StatusReason::kInternalError, "an error on the server (" + Quoted(text) +
                                                    ") has prevented the request from succeeding");
  }
  return Status(StatusReason::kUnknown, "the server responded with the status code " +
                                            std::to_string(reply.code) +
                                            " but did not return more information");
}

}  // namespace skiff::apiserver
