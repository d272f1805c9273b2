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

std::string TextOf(const FieldSet& set) {
  ByteBuffer out;
  AppendFieldsV1(out, set);
  return out.ToString();
}

const Document& Pod() {
  static const Document pod =
      DecodeJson(R"({"metadata":{"labels":{"a":"b"},"finalizers":["x"]},"spec":{"containers":)"
                 R"([{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"}]}]}})",
                 FindKind("v1", "Pod"))
          .value();
  return pod;
}

void CheckOne(Arena& arena, const FieldSet& set) {
  const std::string text = TextOf(set);
  const Result<FieldSet> again = ParseFieldsV1(arena, text);
  Require(again && SameFields(*again, set) && TextOf(*again) == text);
  const FieldShape shape = FieldShape::OfMessage(Pod().type());
  const FieldSet fitted = FitToSchema(arena, set, shape);
  Require(SameFields(FitToSchema(arena, fitted, shape), fitted));
  Require(IsSubset(set, WithNamedFields(arena, set, shape)));
  Require(IsSubset(Leaves(arena, set), set));
  WithoutFields(arena, shape, Pod().root(), set);
}

void CheckTwo(Arena& arena, const FieldSet& a, const FieldSet& b) {
  const FieldSet both = Union(arena, a, b);
  const FieldSet common = Intersection(arena, a, b);
  const FieldSet rest = Difference(arena, a, b);
  Require(IsSubset(a, both) && IsSubset(b, both));
  Require(IsSubset(common, a) && IsSubset(common, b));
  Require(Intersection(arena, rest, b).empty());
  Require(SameFields(Union(arena, rest, common), a));
  Require(IsSubset(RecursiveDifference(arena, a, b), rest));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\n'), input.size());
  Arena arena;
  const Result<FieldSet> first = ParseFieldsV1(arena, input.substr(0, end));
  if (!first) return 0;
  CheckOne(arena, *first);
  if (end == input.size()) return 0;
  const Result<FieldSet> second = ParseFieldsV1(arena, input.substr(end + 1));
  if (second) CheckTwo(arena, *first, *second);
  return 0;
}
