#include "serving/request/negotiate.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::serving {
namespace {

std::string Choose(std::string_view accept) {
  const auto allows = [](const Conversion* conversion) {
    return conversion == nullptr || (conversion->kind == "Table" && conversion->version == "v1");
  };
  const auto chosen = Negotiate(accept, kObjectMediaTypes, allows);
  if (!chosen) return "none";
  std::string out(chosen->media_type);
  if (chosen->conversion) out.append(" as ").append(chosen->conversion->kind);
  if (chosen->pretty) out += " pretty";
  return out;
}

TEST(NegotiateTest, WithoutAHeaderTheFirstOfferIsTaken) {
  EXPECT_EQ(Choose(""), "application/json");
}

TEST(NegotiateTest, TakesTheFirstRangeThatIsOffered) {
  EXPECT_EQ(Choose("text/html,application/yaml"), "application/yaml");
  EXPECT_EQ(Choose("application/vnd.kubernetes.protobuf, */*"),
            "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(Choose("*/*"), "application/json");
  EXPECT_EQ(Choose("text/html"), "none");
}

TEST(NegotiateTest, PassesOverConversionsThatTheEndpointHasNot) {
  EXPECT_EQ(Choose("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"),
            "application/json as Table");
  EXPECT_EQ(Choose("application/json;as=Table;v=v9;g=meta.k8s.io,application/json"),
            "application/json");
  EXPECT_EQ(Choose("application/json;as=Table;v=v9;g=meta.k8s.io"), "none");
}

TEST(NegotiateTest, StreamsAreOfWatchesOnly) {
  EXPECT_EQ(Choose("application/json;stream=watch"), "application/json");
  EXPECT_EQ(Choose("application/json;stream=river"), "none");
}

TEST(NegotiateTest, ARangeMayAskForLines) {
  EXPECT_EQ(Choose("application/json;pretty=1"), "application/json pretty");
}

TEST(NegotiateTest, TheErrorNamesTheOffers) {
  EXPECT_EQ(NotAcceptable(kObjectMediaTypes).message(),
            "only the following media types are accepted: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(NotAcceptable(kObjectMediaTypes).code(), 406);
}

TEST(NegotiateTest, PeopleGetLinesUnlessTheQuerySaysOtherwise) {
  EXPECT_TRUE(WantsPretty("", "curl/8.0"));
  EXPECT_TRUE(WantsPretty("", "Mozilla/5.0 (X11)"));
  EXPECT_FALSE(WantsPretty("", "kubectl/v1.36.4"));
  EXPECT_FALSE(WantsPretty("limit=5&pretty=false", "curl/8.0"));
  EXPECT_TRUE(WantsPretty("limit=5&pretty=1", "kubectl"));
  EXPECT_TRUE(WantsPretty("pretty=", "curl/8.0"));
}

}  // namespace
}  // namespace skiff::serving
