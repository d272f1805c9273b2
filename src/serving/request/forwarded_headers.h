// Headers of a request that is passed on to another server, and of that server's answer.
//
// The other server believes this one, by its certificate, about who asks. So nothing that a client
// sends may pass for a word about that: fields that name users, under their standard names and
// under those that the configuration gives them, never pass, and the user goes into fields of our
// own once the client's are gone. Fields about the connection (hop by hop), those that the
// Connection field lists among them, mean the client's connection and never pass either, in both
// directions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http.h"
#include "serving/auth/user.h"

namespace skiff::serving {

struct ForwardingPlan {
  const UserInfo& user;  // as whom it is passed on
  std::string_view audit_id;
  std::string_view remote_address;  // of the client, with its port; empty: none is told
  std::string_view host;            // "10.0.0.1:443", which the server is known as
  std::string_view path;            // as it is asked for
  // Further names of fields that say who asks, and beginnings of such names; in any case.
  std::span<const std::string> identity_headers = {};
  std::span<const std::string> identity_prefixes = {};
};

// Whether the client asks to go over to another protocol.
bool AsksUpgrade(const net::HttpHeaders& headers);

// Without Host and what frames the body, which belong to who sends it. An error if the user cannot
// be told in headers.
Result<net::HttpHeaders> ForwardedRequestHeaders(const net::HttpHeaders& headers,
                                                 const ForwardingPlan& plan);

// Without what this server says of itself: framing, audit id, which flow it was, who may read it
// from elsewhere (CORS). `host` as in the plan: an absolute URL of it in Location becomes a path.
net::HttpHeaders ForwardedAnswerHeaders(const net::HttpHeaders& headers, int code,
                                        std::string_view host);

// "X-Remote-Extra-" and what follows it: bytes that no name of a field may have are escaped.
std::string ExtraHeaderName(std::string_view key);

}  // namespace skiff::serving
