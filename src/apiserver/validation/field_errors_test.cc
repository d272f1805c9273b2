#include "apiserver/validation/field_errors.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

TEST(FieldErrorsTest, AFaultIsNamedByThePlaceItIsFoundAt) {
  FieldErrors errors(kDefaultSettings);
  errors.Required("metadata");
  {
    const auto spec = errors.At("spec");
    const auto container = errors.At("containers", 2);
    errors.Required("image");
    const auto limit = errors.AtKey("limits", "nvidia.com/gpu");
    errors.Invalid("", "-1", "must be greater than or equal to 0");
  }
  errors.Forbidden("status.phase", "not yours");
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors.causes()[0].field, "metadata");
  EXPECT_EQ(errors.causes()[1].field, "spec.containers[2].image");
  EXPECT_EQ(errors.causes()[2].field, "spec.containers[2].limits[nvidia.com/gpu]");
  EXPECT_EQ(errors.causes()[3].field, "status.phase");
}

TEST(FieldErrorsTest, AnItemFollowsItsListWithoutADot) {
  FieldErrors errors(kDefaultSettings);
  const auto ports = errors.At("ports");
  errors.Duplicate("[1]", "http");
  EXPECT_EQ(errors.causes()[0].field, "ports[1]");
  EXPECT_EQ(errors.causes()[0].message, "Duplicate value: \"http\"");
}

TEST(FieldErrorsTest, MessagesReadAsThoseOfKubernetes) {
  FieldErrors errors(kDefaultSettings);
  errors.Required("a");
  errors.Required("a", "it is needed");
  errors.Invalid("a", 7, "must be less than 5");
  errors.NotSupported("a", "Z", {"Y", "X"});
  errors.TooLong("a", 10);
  errors.TooMany("a", 3, 2);
  errors.NotFound("a", true);
  const std::vector<StatusCause>& causes = errors.causes();
  EXPECT_EQ(causes[0].message, "Required value");
  EXPECT_EQ(causes[1].message, "Required value: it is needed");
  EXPECT_EQ(causes[2].message, "Invalid value: 7: must be less than 5");
  EXPECT_EQ(causes[3].message, "Unsupported value: \"Z\": supported values: \"Y\", \"X\"");
  EXPECT_EQ(causes[3].reason, "FieldValueNotSupported");
  EXPECT_EQ(causes[4].message, "Too long: may not be more than 10 bytes");
  EXPECT_EQ(causes[5].message, "Too many: 3: must have at most 2 items");
  EXPECT_EQ(causes[6].message, "Not found: true");
}

TEST(FieldErrorsTest, TextIsQuotedAsGoDoesIt) {
  EXPECT_EQ(ShownValue("<a> & \"b\"\n\x01ü").json(), "\"<a> & \\\"b\\\"\\n\\x01ü\"");
}

TEST(FieldErrorsTest, ObjectsAreShownWithTheFieldsOfGoThoseThatAreUnsetToo) {
  object::Document node = views::core_v1::Node::New();
  views::core_v1::MutableTaint taint =
      views::core_v1::MutableNode(node).mutable_spec().add_taints();
  taint.set_key("a");
  taint.set_effect("NoSchedule");
  EXPECT_EQ(ShownValue(node.root().FindPath({"spec", "taints"})).json(),
            R"([{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}])");
  EXPECT_EQ(
      ShownValue(
          object::Document::OfType(views::networking_k8s_io_v1::ParentReference::Type()).root())
          .json(),
      R"({"Group":"","Resource":"","Namespace":"","Name":""})");
}

TEST(FieldErrorsTest, SelectorsAreShownAsTheyAreServed) {
  EXPECT_EQ(
      ShownValue(object::Document::OfType(views::meta_v1::LabelSelector::Type()).root()).json(),
      "{}");
}

TEST(FieldErrorsTest, BeyondTheBoundFaultsAreOnlyCounted) {
  FieldErrors errors(kDefaultSettings);
  for (int i = 0; i < 250; ++i) errors.Required("a");
  EXPECT_EQ(errors.causes().size(), limits::kMaxStatusCauses);
  EXPECT_EQ(errors.size(), 250u);
  EXPECT_EQ(errors.left_out(), 150u);
  FieldErrors others(kDefaultSettings);
  others.Required("b");
  errors.Append(std::move(others));
  EXPECT_EQ(errors.size(), 251u);
}

TEST(FieldErrorsTest, LongValuesAndPathsAreCutAndSaySo) {
  object::Document map = object::Document::OfType(views::core_v1::ConfigMap::Type());
  views::core_v1::MutableConfigMap(map).put_data("a", std::string(1'000'000, 'x'));
  const std::string key(100'000, 'k');
  FieldErrors errors(kDefaultSettings);
  {
    const auto at = errors.AtKey("data", key);
    errors.Invalid("", std::string(100'000, 'y'), "is long");
  }
  errors.Invalid("data", map.root().Find("data"), "is long");
  errors.Forbidden("data", std::string(100'000, 'z'));
  for (const StatusCause& cause : errors.causes()) {
    EXPECT_LT(cause.message.size(), limits::kMaxCauseMessageBytes + 100);
    EXPECT_LT(cause.field.size(), limits::kMaxCauseFieldBytes + 100);
    EXPECT_NE(cause.message.find("... (cut at "), std::string::npos);
  }
  EXPECT_TRUE(errors.causes()[1].message.ends_with("bytes): is long"));
}

}  // namespace
}  // namespace skiff::apiserver
