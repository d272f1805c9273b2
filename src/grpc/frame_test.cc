#include "grpc/frame.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "net/gzip.h"

namespace skiff::grpc {
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
  EXPECT_EQ(other.Read(compressed, ignore).code, GrpcCode::kInternal);
}

std::string Compressed(std::string_view message) {
  std::string out = Framed(net::GzipBytes(message).view());
  out[0] = 1;
  return out;
}

TEST(GrpcFrameTest, CompressedMessagesAreInflatedUpToABound) {
  GrpcReader reader(1000, GrpcEncoding::kGzip);
  std::vector<std::string> got;
  const auto take = [&](std::string_view m) { got.emplace_back(m); };
  const std::string sent = Compressed(std::string(1000, 'x')) + Framed("plain") + Compressed("");
  for (const char byte : sent) ASSERT_TRUE(reader.Read({&byte, 1}, take).ok());
  EXPECT_EQ(got, (std::vector<std::string>{std::string(1000, 'x'), "plain", ""}));
  EXPECT_EQ(reader.Read(Compressed(std::string(1001, 'x')), take).code,
            GrpcCode::kResourceExhausted);
  std::string broken = Framed("this is not gzip");
  broken[0] = 1;
  GrpcReader other(1000, GrpcEncoding::kGzip);
  EXPECT_EQ(other.Read(broken, take).code, GrpcCode::kInternal);
  EXPECT_EQ(got.size(), 3U);
}

GrpcResult<std::string> Only(std::string_view body, GrpcEncoding encoding) {
  std::string inflated;
  const auto message = OnlyMessage(body, 1000, encoding, &inflated);
  if (!message) return std::unexpected(message.error());
  return std::string(*message);
}

TEST(GrpcFrameTest, ABodyOfOneMessageHasNeitherMoreNorLess) {
  const GrpcEncoding plain = GrpcEncoding::kIdentity;
  EXPECT_EQ(Only(Framed("abc"), plain), "abc");
  EXPECT_FALSE(Only("", plain));
  EXPECT_FALSE(Only(Framed("abc") + "x", plain));
  EXPECT_FALSE(Only(Framed("abc").substr(0, 7), plain));
  EXPECT_EQ(Only(Framed(std::string(1001, 'x')), plain).error().code, GrpcCode::kResourceExhausted);
  EXPECT_EQ(Only(Compressed("abc"), GrpcEncoding::kGzip), "abc");
  EXPECT_EQ(Only(Framed("abc"), GrpcEncoding::kGzip), "abc");
  EXPECT_EQ(Only(Compressed("abc"), plain).error().code, GrpcCode::kInternal);
}

TEST(GrpcFrameTest, TimeoutsHaveAFewDigitsAndAUnit) {
  EXPECT_EQ(ParseGrpcTimeout("5S"), std::chrono::seconds(5));
  EXPECT_EQ(ParseGrpcTimeout("0n"), Duration(0));
  EXPECT_EQ(ParseGrpcTimeout("150m"), std::chrono::milliseconds(150));
  EXPECT_EQ(ParseGrpcTimeout("7u"), std::chrono::microseconds(7));
  EXPECT_EQ(ParseGrpcTimeout("2M"), std::chrono::minutes(2));
  EXPECT_GT(ParseGrpcTimeout("99999999H"), std::chrono::hours(1000));
  for (const std::string_view bad : {"", "5", "S", "-5S", "5s", "5 S", "123456789S", "+1S"})
    EXPECT_FALSE(ParseGrpcTimeout(bad)) << bad;
}

TEST(GrpcFrameTest, TimeoutsAreWrittenAsTheyAreRead) {
  EXPECT_EQ(FormatGrpcTimeout(Duration(0)), "0n");
  EXPECT_EQ(FormatGrpcTimeout(Duration(-5)), "0n");
  EXPECT_EQ(FormatGrpcTimeout(std::chrono::seconds(10)), "10000000u");
  EXPECT_EQ(FormatGrpcTimeout(Duration(100'000'001)), "100001u") << "never shorter";
  EXPECT_EQ(FormatGrpcTimeout(std::chrono::hours(24)), "86400000m");
  for (const Duration each :
       {Duration(1), Duration(999'999'999), Duration(std::chrono::hours(9000))})
    EXPECT_GE(ParseGrpcTimeout(FormatGrpcTimeout(each)), each);
}

TEST(GrpcFrameTest, AStatusIsReadAsItWasWritten) {
  for (const std::string text : {"", "50% \n\xc3\xa4", "%", "%4", "%zz", "plain"}) {
    net::HttpHeaders headers;
    AddGrpcStatus(headers, {GrpcCode::kAborted, text});
    EXPECT_EQ(ReadGrpcStatus(headers), (GrpcStatus{GrpcCode::kAborted, text}));
  }
  net::HttpHeaders odd;
  EXPECT_FALSE(ReadGrpcStatus(odd)) << "there is none";
  odd.Add("grpc-status", "77");
  odd.Add("grpc-message", "100% %4 %zz%");
  EXPECT_EQ(ReadGrpcStatus(odd), (GrpcStatus{GrpcCode::kUnknown, "100% %4 %zz%"}));
  net::HttpHeaders bad;
  bad.Add("grpc-status", "-1");
  EXPECT_FALSE(ReadGrpcStatus(bad));
}

TEST(GrpcFrameTest, TextsOfErrorsAreEscaped) {
  const net::HttpResponse response = GrpcStatusResponse({GrpcCode::kInternal, "50% \n\xc3\xa4"});
  EXPECT_EQ(response.headers.Get("grpc-status"), "13");
  EXPECT_EQ(response.headers.Get("grpc-message"), "50%25 %0A%C3%A4");
}

}  // namespace
}  // namespace skiff::grpc
