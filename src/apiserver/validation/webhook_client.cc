#include "apiserver/validation/webhook_client.h"

#include <string>

#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

struct UrlParts {
  std::string_view scheme;
  std::string_view user;
  bool has_user = false;
  std::string_view host;
  std::string_view query;
  std::string_view fragment;
};

bool IsSchemeChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.';
}

// False for what is no URL at all.
bool SplitUrl(std::string_view url, UrlParts* parts) {
  for (const char c : url) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  if (const size_t hash = url.find('#'); hash != std::string_view::npos) {
    parts->fragment = url.substr(hash + 1);
    url = url.substr(0, hash);
  }
  if (url.starts_with(':')) return false;
  size_t colon = 0;
  while (colon < url.size() && IsSchemeChar(url[colon])) ++colon;
  const bool starts_with_letter = !url.empty() && (url[0] | 0x20) >= 'a' && (url[0] | 0x20) <= 'z';
  if (starts_with_letter && colon < url.size() && url[colon] == ':') {
    parts->scheme = url.substr(0, colon);
    url.remove_prefix(colon + 1);
  }
  if (const size_t mark = url.find('?'); mark != std::string_view::npos) {
    parts->query = url.substr(mark + 1);
    url = url.substr(0, mark);
  }
  if (!url.starts_with("//")) {
    // Without a scheme, a colon in the first segment cannot be told from one.
    return !parts->scheme.empty() ||
           url.substr(0, url.find('/')).find(':') == std::string_view::npos;
  }
  std::string_view authority = url.substr(2, url.find('/', 2) - 2);
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts->user = authority.substr(0, at);
    parts->has_user = true;
    authority.remove_prefix(at + 1);
  }
  parts->host = authority;
  return authority.find(' ') == std::string_view::npos;
}

// The path of a request, in segments.
void ValidatePath(std::string_view path, FieldErrors& errors) {
  if (path.empty() || path == "/") return;
  if (path == "//") return errors.Invalid("path", path, "segment[0] may not be empty");
  if (!path.starts_with('/')) errors.Invalid("path", path, "must start with a '/'");
  std::string_view rest = path.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0; true; ++i) {
    const size_t slash = rest.find('/');
    const std::string_view step = rest.substr(0, slash);
    const std::string where = "segment[" + std::to_string(i) + "]";
    if (step.empty()) {
      errors.Invalid("path", path, where + " may not be empty");
    } else {
      for (const std::string& problem : object::CheckDns1123Subdomain(step)) {
        errors.Invalid("path", path, where + ": " + problem);
      }
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

void ValidateWebhookUrl(std::string_view url, std::string_view field, FieldErrors& errors) {
  UrlParts parts;
  if (!SplitUrl(url, &parts)) {
    return errors.Required(field, "url must be a valid URL; desired format: https://host[/path]");
  }
  if (parts.scheme != "https") {
    errors.Invalid(field, parts.scheme,
                   "'https' is the only allowed URL scheme; desired format: https://host[/path]");
  }
  if (parts.host.empty()) {
    errors.Invalid(field, parts.host,
                   "host must be specified; desired format: https://host[/path]");
  }
  if (parts.has_user) {
    errors.Invalid(field, parts.user, "user information is not permitted in the URL");
  }
  if (!parts.fragment.empty()) {
    errors.Invalid(field, parts.fragment, "fragments are not permitted in the URL");
  }
  if (!parts.query.empty()) {
    errors.Invalid(field, parts.query, "query parameters are not permitted in the URL");
  }
}

void ValidateWebhookService(const WebhookService& service, FieldErrors& errors) {
  // Kubernetes mixes these two up, and its clients know it so.
  if (service.name_space.empty()) errors.Required("name");
  if (service.name.empty()) errors.Required("namespace");
  if (service.port < 1 || service.port > 65535) {
    errors.Invalid("port", service.port,
                   "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (service.path) ValidatePath(*service.path, errors);
}

}  // namespace skiff::apiserver
