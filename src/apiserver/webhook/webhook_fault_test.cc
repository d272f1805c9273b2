#include "apiserver/webhook/webhook_fault.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

net::ClientEndpoint Endpoint() {
  net::ClientEndpoint out = *net::ParseEndpoint("https://10.0.0.1:8443");
  return out;
}

TEST(WebhookFaultTest, FaultsOfConnectionsAreInTheWordsOfGo) {
  const std::string at = "https://10.0.0.1:8443: ";
  const struct {
    StatusReason reason;
    std::string text;
    std::string said;
  } cases[] = {
      {StatusReason::kServiceUnavailable, at + "Connection refused",
       "dial tcp 10.0.0.1:8443: connect: connection refused"},
      {StatusReason::kServiceUnavailable, at + "No route to host",
       "dial tcp 10.0.0.1:8443: connect: no route to host"},
      {StatusReason::kServiceUnavailable, at + "no connection in time",
       "context deadline exceeded"},
      {StatusReason::kTimeout, "whatever", "context deadline exceeded"},
      {StatusReason::kServerTimeout, at + "the server closed the connection", "EOF"},
      {StatusReason::kServiceUnavailable,
       at + "its certificate is not trusted: self-signed certificate",
       "tls: failed to verify certificate: x509: certificate signed by unknown authority"},
      {StatusReason::kServiceUnavailable,
       at + "its certificate is not trusted: certificate has expired",
       "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"},
      {StatusReason::kServiceUnavailable, at + "something else", "something else"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(ConnectionFault(Status(each.reason, each.text), Endpoint()), each.said);
  }
}

TEST(WebhookFaultTest, CodesAreExplainedAsKubernetesDoes) {
  const struct {
    WebhookReply reply;
    std::string said;
  } cases[] = {
      {{404, "text/plain", 0, "404 page not found"},
       "the server could not find the requested resource"},
      {{500, "text/plain", 0, " oops\n"},
       "an error on the server (\"oops\") has prevented the request from succeeding"},
      {{502, "application/json", 0, "{}"},
       "an error on the server (\"unknown\") has prevented the request from succeeding"},
      {{503, "", 0, ""}, "the server is currently unable to handle the request"},
      {{301, "", 0, ""},
       "the server responded with the status code 301 but did not return more information"},
      {{403, "text/plain", 0, "not you"}, "not you"},
      {{500, "application/json", 0,
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"said so"})"},
       "said so"},
  };
  for (const auto& each : cases) EXPECT_EQ(FaultOfReply(each.reply).message(), each.said);
}

}  // namespace
}  // namespace skiff::apiserver
