// What the API server reads from the head of a request: query, path and Accept
// header. Whatever comes in, the parts of a path that is taken are text without slashes, and what
// was decoded once does not change when it is read in another order.
//
// The first line is the method, the second the path, the third the query, the rest Accept.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "object/json/text.h"
#include "serving/request/accept.h"
#include "serving/request/query.h"
#include "serving/request/request_info.h"

namespace {

using namespace skiff;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

void CheckPart(const std::string& part) {
  Require(part != "." && part != ".." && part.find('/') == std::string::npos);
  Require(part.find('\0') == std::string::npos && IsValidUtf8(part));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view method = TakeLine(text);
  const std::string_view path = TakeLine(text);
  const auto query = serving::QueryParameters::Parse(TakeLine(text));
  for (const serving::MediaRange& range : serving::ParseAccept(text))
    Require(range.type.size() <= text.size());
  const auto info =
      serving::ReadRequestInfo(method, path, query ? *query : serving::QueryParameters());
  if (!info || !info->is_resource) return 0;
  Require(!info->resource.empty());
  Require(info->name_in_path || info->subresource.empty());
  for (const std::string* part :
       {&info->group, &info->version, &info->name_space, &info->resource, &info->subresource}) {
    CheckPart(*part);
  }
  if (info->name_in_path) CheckPart(info->name);
  for (const std::string& part : info->rest) CheckPart(part);
  static_cast<void>(serving::IsLongRunning(*info));
  return 0;
}
