#include "store/etcd_server/grpc_frame.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff {
namespace {

std::string Framed(std::string_view message) {
  std::string out(kGrpcPrefixBytes, '\0');
  WriteGrpcPrefix(out.data(), message.size());
  return out.append(message);
}

TEST(GrpcFrameTest, MessagesAreFoundHoweverTheyAreCut) {
  const std::string sent = Framed("one") + Framed("") + Framed(std::string(1000, 'x'));
  for (size_t step = 1; step < sent.size(); step += 7) {
    GrpcReader reader(1000);
    std::vector<std::string> got;
    for (size_t at = 0; at < sent.size(); at += step) {
      const GrpcStatus read = reader.Read(std::string_view(sent).substr(at, step),
                                          [&](std::string_view m) { got.emplace_back(m); });
      ASSERT_TRUE(read.ok());
    }
    ASSERT_EQ(got, (std::vector<std::string>{"one", "", std::string(1000, 'x')}));
    EXPECT_FALSE(reader.is_within_message());
  }
}

TEST(GrpcFrameTest, WhatIsTooLongOrCompressedIsRefusedBeforeItIsThere) {
  GrpcReader reader(10);
  const auto ignore = [](std::string_view) {};
  EXPECT_EQ(reader.Read(Framed(std::string(11, 'x')).substr(0, 5), ignore).code,
            GrpcCode::kResourceExhausted);
  GrpcReader other(10);
  std::string compressed = Framed("x");
  compressed[0] = 1;
  EXPECT_EQ(other.Read(compressed, ignore).code, GrpcCode::kUnimplemented);
}

TEST(GrpcFrameTest, ABodyOfOneMessageHasNeitherMoreNorLess) {
  EXPECT_EQ(OnlyMessage(Framed("abc")), "abc");
  EXPECT_FALSE(OnlyMessage(""));
  EXPECT_FALSE(OnlyMessage(Framed("abc") + "x"));
  EXPECT_FALSE(OnlyMessage(Framed("abc").substr(0, 7)));
}

TEST(GrpcFrameTest, TextsOfErrorsAreEscaped) {
  const HttpResponse response = GrpcStatusResponse({GrpcCode::kInternal, "50% \n\xc3\xa4"});
  EXPECT_EQ(response.headers.Get("grpc-status"), "13");
  EXPECT_EQ(response.headers.Get("grpc-message"), "50%25 %0A%C3%A4");
}

}  // namespace
}  // namespace skiff
