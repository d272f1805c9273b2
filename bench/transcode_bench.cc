// Transcoding as lists and writes use it: stored objects into JSON, beside copying the same output;
// and JSON into stored objects. Output goes to a buffer that is sent, here emptied, whenever it has
// kChunk bytes, as a streamed list is.
#include <cstdlib>

#include "bench/benches.h"
#include "bench/samples.h"
#include "object/transcode/json_to_protobuf.h"
#include "object/transcode/protobuf_to_json.h"

namespace skiff::bench {
namespace {

constexpr double kSeconds = 2.0;
constexpr size_t kChunk = 64 * 1024;
constexpr double kToJsonLimitGBs = 1.5;
constexpr double kToProtobufLimitMBs = 300;

// Calls `write(pod)` for every pod, which appends to `out`.
template <typename Write>
void Stream(const Samples& pods, ByteBuffer& out, Write write) {
  for (const Sample& pod : pods.all) {
    if (out.size() >= kChunk) {
      Keep(out);
      out.Clear();
    }
    write(pod);
  }
  Keep(out);
}

}  // namespace

void BenchTranscode(Report& report) {
  const Samples& pods = Pods();
  ByteBuffer out(2 * kChunk);
  const auto [to_json, to_protobuf, copy] = BestSecondsEach(
      kSeconds,
      [&] {
        Stream(pods, out, [&](const Sample& pod) {
          if (!object::ProtobufToJson(pod.protobuf, *pods.type, pods.api_version, pods.kind, out)) {
            std::abort();
          }
        });
      },
      [&] {
        Stream(pods, out, [&](const Sample& pod) {
          if (!object::JsonToProtobuf(pod.json, *pods.type, out)) std::abort();
        });
      },
      [&] { Stream(pods, out, [&](const Sample& pod) { out.Append(pod.json); }); });

  const auto bytes = static_cast<double>(pods.json_bytes);
  const double copied = bytes / copy / 1e9;
  const double written = bytes / to_json / 1e9;
  const double read = bytes / to_protobuf / 1e6;
  report.Figure("transcode_protobuf_to_json_pods", written, "GB/s", written / kToJsonLimitGBs,
                "the_limit_1.5_GB/s", AtLeast(1.0));
  report.Figure("transcode_protobuf_to_json_pods", written, "GB/s", copy / to_json, "memcpy");
  report.Figure("transcode_json_to_protobuf_pods", read, "MB/s", read / kToProtobufLimitMBs,
                "the_limit_300_MB/s", AtLeast(1.0));
  report.Figure("memcpy", copied, "GB/s", 1.0, "itself");
}

}  // namespace skiff::bench
