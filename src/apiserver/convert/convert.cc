#include "apiserver/convert/convert.h"

#include <set>
#include <utility>

#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff {
namespace {

using Pairs = std::set<std::pair<const MessageDesc*, const MessageDesc*>>;

bool Same(const MessageDesc* a, const MessageDesc* b, Pairs& seen) {
  if (a == b || !seen.emplace(a, b).second) return true;
  if (a == nullptr || b == nullptr || a->fields.size() != b->fields.size()) return false;
  for (size_t i = 0; i < a->fields.size(); ++i) {
    const FieldDesc& x = a->fields[i];
    const FieldDesc& y = b->fields[i];
    if (x.name() != y.name() || x.tag != y.tag || x.type != y.type ||
        x.cardinality != y.cardinality || x.flags != y.flags || !Same(x.message, y.message, seen)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool SameLayout(const MessageDesc* a, const MessageDesc* b) {
  Pairs seen;
  return Same(a, b, seen);
}

Result<Document> Convert(const Document& object, const MessageDesc* to) {
  if (object.type() == to) return object.Copy();
  ByteBuffer json;
  EncodeJson(object.root(), json);
  DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  SKIFF_ASSIGN_OR_RETURN(Document out, DecodeJson(json.view(), to, options));
  out.root().Set(out.arena(), "apiVersion",
                 Value::String(to->group_version->api_version));
  return out;
}

}  // namespace skiff
