// Headers of requests and answers that are passed on: whatever a client sends, nothing of it passes
// for a word about who asks, and no field is about the connection or begins another.
//
// Each line is a field, "name: value"; the first line is a user's name.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "net/http1_parser.h"
#include "serving/request/forwarded_headers.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

size_t Count(const skiff::net::HttpHeaders& headers, std::string_view name) {
  return static_cast<size_t>(std::ranges::count_if(
      headers.fields(), [&](const auto& field) { return field.name == name; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skiff;
  if (size > 16 * 1024) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto line = [&] {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view taken = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return taken;
  };
  serving::UserInfo user;
  user.name = line();
  net::HttpHeaders headers;
  while (!rest.empty()) {
    const std::string_view field = line();
    const size_t colon = std::min(field.find(':'), field.size());
    std::string name(field.substr(0, colon));
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    headers.Add(std::move(name), std::string(field.substr(std::min(colon + 1, field.size()))));
  }
  const auto out = serving::ForwardedRequestHeaders(
      headers,
      {.user = user, .audit_id = "id", .remote_address = "1.2.3.4:5", .host = "h", .path = "/p"});
  if (out) {
    Require(Count(*out, "x-remote-user") == 1 && out->Get("x-remote-user") == user.name);
    Require(Count(*out, "x-remote-group") == 0 && Count(*out, "x-remote-uid") == 0);
    Require(Count(*out, "authorization") == 0 && Count(*out, "transfer-encoding") == 0);
    Require(Count(*out, "content-length") == 0 && Count(*out, "host") == 0);
    Require(Count(*out, "connection") == (serving::AsksUpgrade(headers) ? 1 : 0));
    for (const auto& field : out->fields()) {
      Require(net::IsHttpToken(field.name) && net::IsHttpFieldValue(field.value));
      Require(!field.name.starts_with("x-remote-extra-"));
      Require(!field.name.starts_with("impersonate-"));
    }
  }
  const net::HttpHeaders answer = serving::ForwardedAnswerHeaders(headers, 200, "h");
  Require(Count(answer, "connection") == 0 && Count(answer, "transfer-encoding") == 0);
  Require(Count(answer, "upgrade") == 0 && Count(answer, "content-length") == 0);
  for (const auto& field : answer.fields())
    Require(net::IsHttpToken(field.name) && net::IsHttpFieldValue(field.value));
  return 0;
}
