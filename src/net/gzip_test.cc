#include "net/gzip.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/random.h"
#include "net/testing.h"

namespace skiff::net {
namespace {

// What has come so far; "broken" if it is no gzip.
std::string Gunzip(std::string_view bytes) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int outcome = Z_OK;
  while (outcome == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0)) {
    std::string piece(100'000, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    outcome = inflate(&stream, Z_SYNC_FLUSH);
    out += piece.substr(0, piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR ? out : "broken";
}

TEST(GzipTest, CompressesBytes) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  const SharedBytes packed = GzipBytes(text);
  EXPECT_LT(packed.size(), text.size() / 3);
  EXPECT_EQ(Gunzip(packed.view()), text);
  EXPECT_EQ(Gunzip(GzipBytes("").view()), "");
}

TEST(GzipTest, BytesThatCannotBeCompressedGrowLittle) {
  SeededRandom random(7);
  std::string noise;
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random.Next());
  const SharedBytes packed = GzipBytes(noise);
  EXPECT_LT(packed.size(), noise.size() + 1000);
  EXPECT_EQ(Gunzip(packed.view()), noise);
}

TEST(GzipTest, AStreamGivesAllItHasWheneverItWaits) {
  auto feed = std::make_shared<Feed>();
  auto source = MakeGzipSource(feed->MakeSource());
  ByteBuffer out;
  feed->Add("first");
  EXPECT_EQ(*source->Read(out, 1000), BodySource::State::kWaiting);
  EXPECT_EQ(Gunzip(out.view()), "first");
  const size_t before = out.size();
  EXPECT_EQ(*source->Read(out, 1000), BodySource::State::kWaiting);
  EXPECT_EQ(out.size(), before);  // nothing new, nothing sent
  feed->Add(" second");
  EXPECT_EQ(*source->Read(out, 1000), BodySource::State::kWaiting);
  EXPECT_EQ(Gunzip(out.view()), "first second");
  feed->End();
  EXPECT_EQ(*source->Read(out, 1000), BodySource::State::kEnd);
  EXPECT_EQ(Gunzip(out.view()), "first second");
  EXPECT_EQ(out.view().substr(0, 2), "\x1f\x8b");
}

TEST(GzipTest, LargeStreamsComeInPieces) {
  std::string text;
  for (int64_t i = 0; i < 500'000; ++i) text += std::to_string(i * 7919) + ",";
  auto feed = std::make_shared<Feed>();
  feed->Add(text);
  feed->End();
  auto source = MakeGzipSource(feed->MakeSource());
  ByteBuffer out;
  int pieces = 0;
  while (*source->Read(out, 16 * 1024) != BodySource::State::kEnd) ++pieces;
  EXPECT_GT(pieces, 10);
  EXPECT_EQ(Gunzip(out.view()), text);
}

TEST(GzipTest, WhatWasCompressedComesBackUpToABound) {
  const std::string text(1'000'000, 'x');
  const SharedBytes zipped = GzipBytes(text);
  ASSERT_LT(zipped.size(), 10'000U);
  EXPECT_EQ(GunzipBytes(zipped.view(), text.size()), text);
  EXPECT_EQ(GunzipBytes(zipped.view(), text.size() - 1).error().reason(),
            StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(GunzipBytes(GzipBytes("").view(), 0), "");
  const std::string whole(zipped.view());
  for (const std::string& broken : {std::string(), std::string("plain"), whole + "x",
                                    whole.substr(0, whole.size() - 1), whole.substr(1)}) {
    const Result<std::string> read = GunzipBytes(broken, 2 * text.size());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().reason(), StatusReason::kBadRequest);
  }
}

TEST(GzipTest, ABrokenStreamStaysBroken) {
  auto feed = std::make_shared<Feed>();
  auto source = MakeGzipSource(feed->MakeSource());
  feed->Break();
  ByteBuffer out;
  EXPECT_FALSE(source->Read(out, 1000));
}

TEST(GzipReaderTest, WhatComesInPiecesIsWholeAgain) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",";
  const SharedBytes sealed = GzipBytes(text);
  // Two members are one text.
  const std::string twice = std::string(sealed.view()) + std::string(sealed.view());
  for (const size_t step : {size_t{1}, size_t{1000}, twice.size()}) {
    GzipReader reader;
    std::string out;
    const auto take = [&](std::string_view piece) {
      EXPECT_LE(piece.size(), limits::kInflateBytes);
      out += piece;
      return true;
    };
    for (size_t at = 0; at < twice.size(); at += step) {
      ASSERT_TRUE(reader.Add(std::string_view(twice).substr(at, step), take));
    }
    EXPECT_TRUE(reader.at_end());
    EXPECT_EQ(out, text + text);
  }
}

TEST(GzipReaderTest, ABombIsStoppedByWhoTakesIt) {
  const std::string zeros(50 * 1024 * 1024, '\0');
  const SharedBytes bomb = GzipBytes(zeros);
  GzipReader reader;
  size_t taken = 0;
  ASSERT_TRUE(reader.Add(bomb.view(), [&](std::string_view piece) {
    taken += piece.size();
    return taken < 1'000'000;
  }));
  EXPECT_LT(taken, 1'000'000 + limits::kInflateBytes);
}

TEST(GzipReaderTest, WhatIsNotGzipIsSaidToBe) {
  GzipReader reader;
  EXPECT_FALSE(reader.Add("{}", [](std::string_view) { return true; }));
  GzipReader cut;
  const SharedBytes sealed = GzipBytes("hello");
  EXPECT_TRUE(cut.Add(sealed.view().substr(0, 12), [](std::string_view) { return true; }));
  EXPECT_FALSE(cut.at_end());
}

}  // namespace
}  // namespace skiff::net
