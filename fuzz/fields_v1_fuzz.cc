// Sets of fields: whatever parses has a text that parses to the same set, and sets keep their laws.
//
// The input is one set, or two with a line break between them. The set is also fitted to the schema
// of a pod, and taken out of one, which must do no harm whatever it says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "object/descriptor.h"
#include "object/fields/field_set.h"
#include "object/fields/fields_v1.h"
#include "object/fields/merge.h"
#include "object/fields/reconcile.h"
#include "object/json/decode.h"

namespace {

using namespace skiff;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::string TextOf(const object::FieldSet& set) {
  ByteBuffer out;
  object::AppendFieldsV1(out, set);
  return out.ToString();
}

const object::Document& Pod() {
  static const object::Document pod =
      object::DecodeJson(
          R"({"metadata":{"labels":{"a":"b"},"finalizers":["x"]},"spec":{"containers":)"
          R"([{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"}]}]}})",
          object::FindKind("v1", "Pod"))
          .value();
  return pod;
}

void CheckOne(Arena& arena, const object::FieldSet& set) {
  const std::string text = TextOf(set);
  const Result<object::FieldSet> again = object::ParseFieldsV1(arena, text);
  Require(again && object::SameFields(*again, set) && TextOf(*again) == text);
  const object::FieldShape shape = object::FieldShape::OfMessage(Pod().type());
  const object::FieldSet fitted = object::FitToSchema(arena, set, shape);
  Require(object::SameFields(object::FitToSchema(arena, fitted, shape), fitted));
  Require(object::IsSubset(set, object::WithNamedFields(arena, set, shape)));
  Require(object::IsSubset(object::Leaves(arena, set), set));
  object::WithoutFields(arena, shape, Pod().root(), set);
}

void CheckTwo(Arena& arena, const object::FieldSet& a, const object::FieldSet& b) {
  const object::FieldSet both = object::Union(arena, a, b);
  const object::FieldSet common = object::Intersection(arena, a, b);
  const object::FieldSet rest = object::Difference(arena, a, b);
  Require(object::IsSubset(a, both) && object::IsSubset(b, both));
  Require(object::IsSubset(common, a) && object::IsSubset(common, b));
  Require(object::Intersection(arena, rest, b).empty());
  Require(object::SameFields(object::Union(arena, rest, common), a));
  Require(object::IsSubset(object::RecursiveDifference(arena, a, b), rest));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\n'), input.size());
  Arena arena;
  const Result<object::FieldSet> first = object::ParseFieldsV1(arena, input.substr(0, end));
  if (!first) return 0;
  CheckOne(arena, *first);
  if (end == input.size()) return 0;
  const Result<object::FieldSet> second = object::ParseFieldsV1(arena, input.substr(end + 1));
  if (second) CheckTwo(arena, *first, *second);
  return 0;
}
