// JSON text into documents, beside simdjson's DOM parse of the same bytes; and back, beside
// copying the bytes that are written. simdjson finds structure and numbers but knows no types, so
// what we do beyond it (names to fields, checks, quantities, times, a tree that can be changed) is
// in the ratio.
#include <simdjson.h>

#include <cstring>

#include "bench/benches.h"
#include "bench/samples.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::bench {
namespace {

constexpr double kSeconds = 3.0;

void BenchDecode(Report& report) {
  const Samples& pods = Pods();
  std::vector<simdjson::padded_string> padded;
  for (const Sample& pod : pods.all) padded.emplace_back(pod.json);
  simdjson::dom::parser parser;

  const auto decode = [&](const object::MessageDesc* type) {
    for (const Sample& pod : pods.all) {
      const auto document = object::DecodeJson(pod.json, type);
      if (!document) std::abort();
      Keep(document->root());
    }
  };
  const auto [typed, untyped, peer] = BestSecondsEach(
      kSeconds, [&] { decode(pods.type); }, [&] { decode(nullptr); },
      [&] {
        for (const auto& text : padded) {
          const auto element = parser.parse(text);
          if (element.error() != simdjson::SUCCESS) std::abort();
          Keep(element);
        }
      });
  const auto bytes = static_cast<double>(pods.json_bytes);
  report.Figure("json_decode_pods", bytes / typed / 1e6, "MB/s", peer / typed, "simdjson_dom",
                AtLeast(0.35));
  report.Figure("json_decode_untyped_pods", bytes / untyped / 1e6, "MB/s", peer / untyped,
                "simdjson_dom");
}

void BenchEncode(Report& report) {
  const Samples& pods = Pods();
  std::vector<object::Document> documents;
  for (const Sample& pod : pods.all) documents.push_back(*object::DecodeJson(pod.json, pods.type));
  ByteBuffer out(pods.json_bytes + 4096);
  const auto [ours, peer] = BestSecondsEach(
      kSeconds / 2,
      [&] {
        out.Clear();
        for (const object::Document& document : documents) object::EncodeJson(document.root(), out);
        Keep(out);
      },
      [&] {
        out.Clear();
        for (const Sample& pod : pods.all) out.Append(pod.json);
        Keep(out);
      });
  const auto bytes = static_cast<double>(pods.json_bytes);
  report.Figure("json_encode_pods", bytes / ours / 1e6, "MB/s", peer / ours, "memcpy");
}

}  // namespace

void BenchJson(Report& report) {
  const Samples& pods = Pods();
  std::printf("# %zu pods, on average %zu bytes of JSON and %zu of protobuf\n", pods.all.size(),
              pods.json_bytes / pods.all.size(), pods.protobuf_bytes / pods.all.size());
  BenchDecode(report);
  BenchEncode(report);
}

}  // namespace skiff::bench
