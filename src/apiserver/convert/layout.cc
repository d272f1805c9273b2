#include "apiserver/convert/layout.h"

#include <set>
#include <utility>

namespace skiff::apiserver {
namespace {

class Comparison {
 public:
  bool Same(const object::MessageDesc* a, const object::MessageDesc* b) {
    if (a == b) return true;
    if (a == nullptr || b == nullptr) return false;
    // A pair that is being compared further up, or has been, adds nothing.
    if (!seen_.insert({a, b}).second) return true;
    if (a->form != b->form || a->in_protobuf != b->in_protobuf || a->is_kind != b->is_kind ||
        a->fields.size() != b->fields.size() || a->proto_fields.size() != b->proto_fields.size()) {
      return false;
    }
    for (size_t i = 0; i < a->fields.size(); ++i) {
      if (!Same(a->fields[i], b->fields[i])) return false;
    }
    for (size_t i = 0; i < a->proto_fields.size(); ++i) {
      if (!Same(a->proto_fields[i], b->proto_fields[i])) return false;
    }
    return true;
  }

 private:
  bool Same(const object::FieldDesc& a, const object::FieldDesc& b) {
    constexpr auto kForm = static_cast<uint8_t>(~object::FieldDesc::kRequired);
    return a.name() == b.name() && a.tag == b.tag && a.type == b.type &&
           a.cardinality == b.cardinality && (a.flags & kForm) == (b.flags & kForm) &&
           Same(a.message, b.message);
  }
  bool Same(const object::ProtoFieldDesc& a, const object::ProtoFieldDesc& b) {
    return a.key == b.key && a.first_field == b.first_field && Same(a.inlined, b.inlined);
  }

  std::set<std::pair<const object::MessageDesc*, const object::MessageDesc*>> seen_;
};

}  // namespace

bool SameLayout(const object::MessageDesc* a, const object::MessageDesc* b) {
  return Comparison().Same(a, b);
}

}  // namespace skiff::apiserver
