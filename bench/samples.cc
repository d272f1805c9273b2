#include "bench/samples.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/encode.h"

namespace skiff::bench {
namespace {

constexpr size_t kPodCount = 128;

[[noreturn]] void Die(std::string_view file, std::string_view why) {
  std::fprintf(stderr, "bench/data/%.*s.json: %.*s\n", static_cast<int>(file.size()), file.data(),
               static_cast<int>(why.size()), why.data());
  std::exit(1);
}

std::string ReadTemplate(std::string_view file) {
  std::ifstream in(std::string(SKIFF_SOURCE_DIR "/bench/data/").append(file).append(".json"));
  if (!in) Die(file, "cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

using Variables = std::map<std::string, std::string, std::less<>>;

std::string Characters(Random& random, size_t count, std::string_view alphabet) {
  std::string text;
  while (text.size() < count) text += alphabet[random.Uniform(alphabet.size())];
  return text;
}
std::string Hex(Random& random, size_t count) {
  return Characters(random, count, "0123456789abcdef");
}
std::string Uid(Random& random) {
  return Hex(random, 8) + "-" + Hex(random, 4) + "-4" + Hex(random, 3) + "-a" + Hex(random, 3) +
         "-" + Hex(random, 12);
}
std::string Number(Random& random, uint64_t below) { return std::to_string(random.Uniform(below)); }

template <size_t kSize>
std::string OneOf(Random& random, const std::array<std::string_view, kSize>& words) {
  return std::string(words[random.Uniform(kSize)]);
}

std::string Time(Random& random, std::string_view date) {
  char clock[16];
  std::snprintf(clock, sizeof clock, "T%02d:%02d:%02dZ", static_cast<int>(random.Uniform(24)),
                static_cast<int>(random.Uniform(60)), static_cast<int>(random.Uniform(60)));
  return std::string(date) + clock;
}

Variables Vary(Random& random) {
  constexpr std::array<std::string_view, 6> kApps = {
      "checkout", "search-frontend", "payments-api", "inventory", "notification-worker", "ledger"};
  constexpr std::array<std::string_view, 4> kTeams = {"storefront", "platform", "billing",
                                                      "growth"};
  constexpr std::array<std::string_view, 3> kRegions = {"eu-central-1", "us-east-2", "ap-south-1"};
  constexpr std::string_view kSafe = "bcdfghjklmnpqrstvwxz2456789";
  const std::string octet = Number(random, 256);
  return {
      {"app", OneOf(random, kApps)},
      {"team", OneOf(random, kTeams)},
      {"namespace", OneOf(random, kTeams) + "-production"},
      {"region", OneOf(random, kRegions)},
      {"zone", Characters(random, 1, "abc")},
      {"hash", Characters(random, 10, kSafe)},
      {"suffix", Characters(random, 5, kSafe)},
      {"event", Hex(random, 16)},
      {"uid", Uid(random)},
      {"owner_uid", Uid(random)},
      {"rv", Number(random, 1'000'000'000)},
      {"version", "v2." + Number(random, 40) + "." + Number(random, 10)},
      {"minor", Number(random, 10)},
      {"drain", std::to_string(5 + random.Uniform(20))},
      {"node", "ip-10-" + octet + "-" + Number(random, 256) + "-" + Number(random, 256) +
                   ".compute.internal"},
      {"octet", octet},
      {"host_ip", "10." + octet + "." + Number(random, 256) + "." + Number(random, 256)},
      {"pod_ip", "100.64." + Number(random, 256) + "." + Number(random, 256)},
      {"created", Time(random, "2026-03-14")},
      {"started", Time(random, "2026-03-15")},
      {"ready", Time(random, "2026-03-16")},
      {"digest1", Hex(random, 64)},
      {"digest2", Hex(random, 64)},
      {"digest3", Hex(random, 64)},
      {"cid1", Hex(random, 64)},
      {"cid2", Hex(random, 64)},
      {"cid_short", Hex(random, 17)},
  };
}

// ${name} becomes the variable's value.
std::string Fill(std::string_view file, std::string_view text, const Variables& variables) {
  std::string filled;
  while (true) {
    const size_t at = text.find("${");
    filled.append(text.substr(0, at));
    if (at == std::string_view::npos) return filled;
    const size_t end = text.find('}', at);
    const auto found = variables.find(text.substr(at + 2, end - at - 2));
    if (found == variables.end()) Die(file, text.substr(at, end - at + 1));
    filled.append(found->second);
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Samples MakeSamples(std::string_view file, size_t count, uint64_t seed) {
  const std::string text = ReadTemplate(file);
  SeededRandom random(seed);
  Samples samples;
  for (size_t i = 0; i < count; ++i) {
    const std::string filled = Fill(file, text, Vary(random));
    if (samples.type == nullptr) {
      const auto meta = object::PeekTypeMeta(filled);
      if (!meta) Die(file, meta.error().ToString());
      samples.type = object::FindKind(meta->api_version, meta->kind);
      if (samples.type == nullptr) Die(file, "is of no known kind");
      samples.api_version = samples.type->group_version->api_version;
      samples.kind = samples.type->name;
    }
    std::vector<object::FieldIssue> issues;
    const auto document = object::DecodeJson(filled, samples.type, {.issues = &issues});
    if (!document) Die(file, document.error().ToString());
    if (!issues.empty()) Die(file, issues.front().path + ": unknown or duplicate");
    Sample sample{.json = object::EncodeJson(document->root()), .protobuf = {}};
    object::EncodeProtobuf(document->root(), &sample.protobuf);
    samples.json_bytes += sample.json.size();
    samples.protobuf_bytes += sample.protobuf.size();
    samples.all.push_back(std::move(sample));
  }
  return samples;
}

const Samples& Pods() {
  static const Samples pods = MakeSamples("pod", kPodCount);
  return pods;
}

}  // namespace skiff::bench
