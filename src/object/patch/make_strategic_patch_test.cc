#include "object/patch/make_strategic_patch.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/patch/strategic_merge_patch.h"

namespace skiff::object {
namespace {

Document Decode(const std::string& text) {
  auto decoded = DecodeJson(text, nullptr);
  EXPECT_TRUE(decoded.has_value()) << decoded.error().ToString();
  return decoded.has_value() ? std::move(*decoded) : Document();
}

std::string PatchOf(const std::string& from, const std::string& to) {
  return EncodeJson(
      MakeStrategicMergePatch(Decode(from).root(), Decode(to).root(), FindKind("v1", "Pod"))
          .root());
}

TEST(MakeStrategicPatchTest, SaysWhatChangedAndWhatIsGone) {
  EXPECT_EQ(PatchOf(R"({"a":1,"b":{"x":1,"y":2}})", R"({"b":{"x":1,"y":3,"z":4}})"),
            R"({"a":null,"b":{"y":3,"z":4}})");
  EXPECT_EQ(PatchOf(R"({"a":[1]})", R"({"a":[1]})"), "{}");
}

TEST(MakeStrategicPatchTest, ItemsOfMergingListsAreNamedByTheirKeys) {
  EXPECT_EQ(PatchOf(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})",
                    R"({"spec":{"containers":[{"name":"c"},{"name":"a","image":"2"}]}})"),
            R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],)"
            R"("containers":[{"name":"c"},{"image":"2","name":"a"},)"
            R"({"$patch":"delete","name":"b"}]}})");
}

TEST(MakeStrategicPatchTest, ItemsThatShareAKeyAreReplacedTogether) {
  EXPECT_EQ(PatchOf(R"({"spec":{"containers":[{"name":"a"},{"name":"a","image":"1"}]}})",
                    R"({"spec":{"containers":[{"name":"a","image":"2"}]}})"),
            R"({"spec":{"containers":[{"$patch":"replace"},{"image":"2","name":"a"}]}})");
}

// A pod from dice: lists that merge by a key, lists of scalars that merge, lists that are replaced,
// maps, and members that come and go.
class RandomPod {
 public:
  explicit RandomPod(Random& random) : random_(random) {}

  std::string Make() {
    return R"({"metadata":{"name":"p")" + Maybe(R"("labels":)" + Labels()) +
           Maybe(R"("finalizers":)" +
                 List(4, [](size_t i) { return "\"example.com/f" + std::to_string(i) + "\""; })) +
           R"(},"spec":{"containers":)" + List(4, [this](size_t i) { return Container(i); }) +
           Maybe(R"("tolerations":)" + List(3,
                                            [](size_t i) {
                                              return R"({"key":"k)" + std::to_string(i) +
                                                     R"(","operator":"Exists"})";
                                            })) +
           Maybe(R"("volumes":)" + List(3, [this](size_t i) { return Volume(i); })) + "}}";
  }

 private:
  bool Coin() { return random_.Uniform(2) == 0; }
  std::string Maybe(const std::string& member) { return Coin() ? "," + member : ""; }

  // Some of the items 0 to count-1, in any order.
  template <typename Item>
  std::string List(size_t count, Item item) {
    std::vector<size_t> chosen;
    for (size_t i = 0; i < count; ++i) {
      if (Coin()) chosen.insert(chosen.begin() + random_.Uniform(chosen.size() + 1), i);
    }
    std::string out;
    for (const size_t i : chosen) out += (out.empty() ? "" : ",") + item(i);
    return "[" + out + "]";
  }

  std::string Labels() {
    std::string out;
    for (const char* key : {"a", "b", "c"}) {
      if (Coin()) out += (out.empty() ? "\"" : ",\"") + std::string(key) + "\":\"" + Digit() + "\"";
    }
    return "{" + out + "}";
  }
  std::string Digit() { return std::to_string(random_.Uniform(3)); }
  std::string Container(size_t i) {
    return R"({"name":"c)" + std::to_string(i) + R"(","image":"i)" + Digit() + "\"" +
           Maybe(R"("env":)" + List(4,
                                    [this](size_t n) {
                                      return R"({"name":"E)" + std::to_string(n) +
                                             R"(","value":")" + Digit() + "\"}";
                                    })) +
           Maybe(R"("ports":)" + List(3,
                                      [this](size_t n) {
                                        return R"({"containerPort":)" + std::to_string(n) +
                                               R"(,"name":"p)" + Digit() + "\"}";
                                      })) +
           Maybe(R"("args":["x)" + Digit() + "\"]") + "}";
  }
  std::string Volume(size_t i) {
    return R"({"name":"v)" + std::to_string(i) + "\"," +
           (Coin() ? R"("emptyDir":{})" : R"("configMap":{"name":"m)" + Digit() + "\"}") + "}";
  }

  Random& random_;
};

TEST(MakeStrategicPatchTest, APatchOfADifferenceReproducesTheTarget) {
  SeededRandom random(7);
  RandomPod pods(random);
  const MessageDesc* const type = FindKind("v1", "Pod");
  for (int round = 0; round < 3000; ++round) {
    Document from = Decode(pods.Make());
    const Document to = Decode(pods.Make());
    const std::string before = EncodeJson(from.root());
    const Document patch = MakeStrategicMergePatch(from.root(), to.root(), type);
    const Result<void> applied = ApplyStrategicMergePatch(patch.root(), type, from);
    ASSERT_TRUE(applied) << applied.error().ToString() << "\nfrom " << before << "\npatch "
                         << EncodeJson(patch.root());
    ASSERT_EQ(EncodeJson(from.root()), EncodeJson(to.root()))
        << "from " << before << "\npatch " << EncodeJson(patch.root());
  }
}

}  // namespace
}  // namespace skiff::object
