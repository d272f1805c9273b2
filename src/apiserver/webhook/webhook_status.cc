#include "apiserver/webhook/webhook_status.h"

#include <string>
#include <utility>

#include "base/foreign_status.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

std::string TextOf(const object::Value& value, std::string_view name) {
  const object::Value* found = value.Find(name);
  return found != nullptr && found->is_string() ? std::string(found->AsText()) : std::string();
}

int64_t IntOf(const object::Value& value, std::string_view name) {
  const object::Value* found = value.Find(name);
  return found != nullptr && found->tag() == object::Tag::kInt ? found->AsInt() : 0;
}

StatusReason ReasonNamed(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(StatusReason::kInternalError); ++i) {
    const auto reason = static_cast<StatusReason>(i);
    if (!name.empty() && StatusReasonName(reason) == name) return reason;
  }
  return StatusReason::kUnknown;
}

void TakeDetails(const object::Value& details, Status& out) {
  out.SetSubject({TextOf(details, "name"), TextOf(details, "group"), TextOf(details, "kind"),
                  TextOf(details, "uid")});
  out.SetRetryAfterSeconds(static_cast<int>(IntOf(details, "retryAfterSeconds")));
  const object::Value* causes = details.Find("causes");
  if (causes == nullptr || !causes->is_list()) return;
  for (const object::Value& cause : causes->items()) {
    out.AddCause({TextOf(cause, "reason"), TextOf(cause, "message"), TextOf(cause, "field")});
  }
}

}  // namespace

Status StatusOfValue(const object::Value& status) {
  const std::string reason = TextOf(status, "reason");
  Status out(ReasonNamed(reason), TextOf(status, "message"));
  const object::Value* details = status.Find("details");
  if (details != nullptr && !details->is_null()) TakeDetails(*details, out);
  SetForeign(out, static_cast<int>(IntOf(status, "code")), reason);
  return out;
}

std::optional<Status> StatusOfJson(std::string_view json) {
  const Result<object::Document> read = object::DecodeJson(json, nullptr);
  if (!read || !read->root().is_map()) return std::nullopt;
  const object::Value& root = read->root();
  if (TextOf(root, "kind") != "Status" || TextOf(root, "status") != "Failure") return std::nullopt;
  return StatusOfValue(root);
}

}  // namespace skiff::apiserver
