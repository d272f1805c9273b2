#include "net/gzip.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include "base/random.h"
#include "net/testing.h"

namespace skiff {
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

TEST(GzipTest, ABrokenStreamStaysBroken) {
  auto feed = std::make_shared<Feed>();
  auto source = MakeGzipSource(feed->MakeSource());
  feed->Break();
  ByteBuffer out;
  EXPECT_FALSE(source->Read(out, 1000));
}

}  // namespace
}  // namespace skiff
