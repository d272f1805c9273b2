#include "net/idle_reset_filter.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "net/protocol.h"

namespace skiff::net {
namespace {

std::string Frame(uint8_t kind, uint32_t stream, std::string_view payload) {
  std::string out;
  for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(payload.size() >> shift);
  out += static_cast<char>(kind);
  out += '\0';
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(stream >> shift);
  return out.append(payload);
}

TEST(IdleResetFilterTest, OnlyResetsOfStreamsThatWereNeverOpenedAreLeftOut) {
  const std::string preface(kHttp2Preface);
  const std::string open = Frame(1, 3, "headers");
  const std::string data = Frame(0, 3, std::string(300, 'd'));
  const std::string good = Frame(3, 3, "code");
  const std::string bad = Frame(3, 5, "code");
  const std::string later = Frame(1, 7, "");
  const std::string old = Frame(3, 5, "code");  // below one that was opened: closed, not idle
  const std::string sent = preface + open + data + bad + good + later + old;
  const std::string kept = preface + open + data + good + later + old;
  SeededRandom dice(1);
  for (int i = 0; i < 200; ++i) {
    IdleResetFilter filter;
    std::string out;
    for (size_t at = 0; at < sent.size();) {
      const size_t step = i == 0 ? sent.size() : 1 + dice.Uniform(i == 1 ? 1 : 40);
      filter.Feed(std::string_view(sent).substr(at, step),
                  [&](std::string_view bytes) { out.append(bytes); });
      at += step;
    }
    ASSERT_EQ(out, kept);
  }
}

}  // namespace
}  // namespace skiff::net
