// URLs of CEL: what Go's net/url makes of a text, by url.ParseRequestURI (which decides what is a
// URL) and url.Parse (which takes it apart). Errors have the text of both.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::cel {

class Url {
 public:
  // url(text). Errors begin with "URL parse error during conversion from string: ".
  static Result<Url> Parse(std::string_view text);

  const std::string& scheme() const { return scheme_; }
  const std::string& host() const { return host_; }  // with its port
  std::string Hostname() const;
  std::string Port() const;
  std::string EscapedPath() const;
  // The values of each name, in the order of the URL; names ascend. Parts that cannot be read are
  // left out.
  std::vector<std::pair<std::string, std::vector<std::string>>> Query() const;
  // The URL again, normalised; two are equal if these are.
  std::string ToString() const;

 private:
  friend class UrlParser;

  std::string scheme_;
  std::string opaque_;
  bool has_user_ = false;
  bool has_password_ = false;
  std::string user_;
  std::string password_;
  std::string host_;
  std::string path_;      // decoded
  std::string raw_path_;  // as it was written, if that is not how the path would be encoded
  bool force_query_ = false;
  bool omit_host_ = false;
  std::string raw_query_;
  std::string fragment_;
  std::string raw_fragment_;
};

// isURL(text), and the error of url.ParseRequestURI itself: parse "…": …
bool IsUrl(std::string_view text);
Result<void> CheckRequestUri(std::string_view text);

}  // namespace skiff::cel
