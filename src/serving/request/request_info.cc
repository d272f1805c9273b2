#include "serving/request/request_info.h"

#include <algorithm>

#include "base/limits.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "object/json/text.h"

namespace skiff::serving {
namespace {

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

Result<std::vector<std::string>> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  constexpr size_t kUsualParts = 8;
  parts.reserve(kUsualParts);
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    std::optional<std::string> part = PercentDecode(path.substr(0, end), false);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (!part || !IsValidUtf8(*part) || HasControlCharacter(*part)) {
      return BadRequest("the path of the URL has a part that is no text");
    }
    if (*part == "." || *part == ".." || part->find('/') != std::string::npos) {
      return BadRequest("the path of the URL has a part that may not be one: " + Quoted(*part));
    }
    if (parts.size() == limits::kMaxPathParts) return BadRequest("the path of the URL is too long");
    parts.push_back(std::move(*part));
  }
  return parts;
}

std::string VerbOf(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return {};
}

// The value of metadata.name=X in a field selector: who may see one object may list and watch it.
// What cannot be a part of a path is nobody's name.
std::string SelectedName(std::string_view selector) {
  while (!selector.empty()) {
    const size_t end = std::min(selector.find(','), selector.size());
    std::string_view term = selector.substr(0, end);
    selector.remove_prefix(std::min(end + 1, selector.size()));
    if (!term.starts_with("metadata.name=")) continue;
    term.remove_prefix(std::string_view("metadata.name=").size());
    if (term.starts_with('=')) term.remove_prefix(1);
    const bool is_name =
        term != "." && term != ".." && term.find_first_of("/%") == std::string_view::npos;
    return std::string(is_name ? term : std::string_view());
  }
  return {};
}

// A request for a whole collection has a verb of its own. Who may delete one object may not delete
// a collection because of that, whatever it selects.
void RefineVerb(RequestInfo& info, const QueryParameters& query) {
  if (!info.name.empty()) return;
  if (info.verb == "delete") info.verb = "deletecollection";
  if (info.verb != "get") return;
  info.verb = query.IsTrue("watch") ? "watch" : "list";
  info.name = SelectedName(query.Get("fieldSelector"));
}

}  // namespace

Result<RequestInfo> ReadRequestInfo(std::string_view method, std::string_view path,
                                    const QueryParameters& query) {
  SKIFF_ASSIGN_OR_RETURN(std::vector<std::string> parts, SplitPath(path));
  RequestInfo info;
  info.path = PercentDecode(path, false).value_or("/");
  info.verb = AsciiLower(method);
  size_t at = 0;
  // Two slashes in a row are nobody's path.
  if (parts.empty() || path.starts_with("//") || std::ranges::find(parts, "") != parts.end()) {
    return info;
  }
  if (parts[0] == "api" && parts.size() >= 3) {
    at = 1;
  } else if (parts[0] == "apis" && parts.size() >= 4) {
    info.group = parts[1];
    at = 2;
  } else {
    return info;
  }
  info.is_resource = true;
  info.version = parts[at++];
  info.verb = VerbOf(method);
  if (parts[at] == "watch" || parts[at] == "proxy") {
    info.verb = parts[at++];
    if (at == parts.size()) {
      info.is_resource = false;
      return info;
    }
  }
  if (parts[at] == "namespaces" && parts.size() > at + 1) {
    info.name_space = parts[at + 1];
    info.within_namespace =
        parts.size() > at + 2 && parts[at + 2] != "status" && parts[at + 2] != "finalize";
    if (info.within_namespace) at += 2;
  }
  info.resource = parts[at++];
  if (at < parts.size()) info.name = parts[at++];
  if (at < parts.size()) info.subresource = parts[at++];
  info.rest.assign(parts.begin() + static_cast<ptrdiff_t>(at), parts.end());
  info.name_in_path = !info.name.empty();
  RefineVerb(info, query);
  return info;
}

bool IsLongRunning(const RequestInfo& info) {
  if (!info.is_resource) return info.path.starts_with("/debug/pprof/");
  if (info.verb == "watch" || info.verb == "proxy") return true;
  constexpr std::string_view kSubresources[] = {"attach", "exec", "log", "portforward", "proxy"};
  return std::ranges::find(kSubresources, info.subresource) != std::end(kSubresources);
}

}  // namespace skiff::serving
