#include "object/json/status.h"

#include <algorithm>
#include <utility>

#include "base/buffer.h"
#include "base/foreign_status.h"
#include "object/json/text.h"

namespace skiff::object {
namespace {

// Members of one object, with commas between them and the empty ones left out.
class Members {
 public:
  explicit Members(ByteBuffer& out) : out_(out) { out_.Append('{'); }
  ~Members() { out_.Append('}'); }

  void Key(std::string_view name) {
    if (!first_) out_.Append(',');
    first_ = false;
    AppendJsonString(out_, name);
    out_.Append(':');
  }
  void Text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    Key(name);
    AppendJsonString(out_, value);
  }
  void Number(std::string_view name, int64_t value) {
    if (value == 0) return;
    Key(name);
    AppendJsonInt(out_, value);
  }

 private:
  ByteBuffer& out_;
  bool first_ = true;
};

bool HasCauses(const Status& status) {
  return std::ranges::any_of(status.causes(),
                             [](const StatusCause& cause) { return !IsForeignMark(cause); });
}

void AppendDetails(const Status& status, ByteBuffer& out) {
  Members details(out);
  if (const StatusSubject* subject = status.subject(); subject != nullptr) {
    details.Text("name", subject->name);
    details.Text("group", subject->group);
    details.Text("kind", subject->kind);
    details.Text("uid", subject->uid);
  }
  if (HasCauses(status)) {
    details.Key("causes");
    out.Append('[');
    bool first = true;
    for (const StatusCause& cause : status.causes()) {
      if (IsForeignMark(cause)) continue;
      if (!std::exchange(first, false)) out.Append(',');
      Members members(out);
      members.Text("reason", cause.reason);
      members.Text("message", cause.message);
      members.Text("field", cause.field);
    }
    out.Append(']');
  }
  details.Number("retryAfterSeconds", status.retry_after_seconds());
}

}  // namespace

std::string StatusToJson(const Status& status) {
  ByteBuffer out;
  {
    Members members(out);
    members.Text("kind", "Status");
    members.Text("apiVersion", "v1");
    members.Key("metadata");
    Members(out).Text("continue", status.continue_token());
    members.Text("status", "Failure");
    members.Text("message", status.message());
    members.Text("reason", ShownReason(status));
    if (status.subject() != nullptr || HasCauses(status) || status.retry_after_seconds() != 0) {
      members.Key("details");
      AppendDetails(status, out);
    }
    members.Number("code", ShownCode(status));
  }
  return out.ToString();
}

}  // namespace skiff::object
