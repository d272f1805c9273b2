// What a decoded document takes of memory, beside the protobuf bytes that it was made from.
#include "bench/benches.h"
#include "bench/samples.h"
#include "object/json/decode.h"
#include "object/protobuf/decode.h"

namespace skiff::bench {
namespace {

constexpr size_t kCount = 16;

struct Memory {
  size_t from_protobuf = 0;
  size_t from_json = 0;
};

Memory Measure(const Samples& samples) {
  Memory memory;
  for (const Sample& sample : samples.all) {
    const auto from_protobuf = object::DecodeProtobuf(sample.protobuf, samples.type);
    const auto from_json = object::DecodeJson(sample.json, samples.type);
    if (!from_protobuf || !from_json) std::abort();
    memory.from_protobuf += from_protobuf->BytesReserved();
    memory.from_json += from_json->BytesReserved();
  }
  return memory;
}

void Print(Report& report, std::string_view kind, const Samples& samples, Budget budget) {
  const Memory memory = Measure(samples);
  const auto peer = static_cast<double>(samples.protobuf_bytes);
  const auto count = static_cast<double>(samples.all.size());
  const auto figure = [&](std::string_view from, size_t bytes) {
    const std::string name =
        std::string("document_bytes_").append(kind).append("_from_").append(from);
    report.Figure(name.c_str(), static_cast<double>(bytes) / count, "B",
                  static_cast<double>(bytes) / peer, "protobuf_bytes", budget);
  };
  figure("protobuf", memory.from_protobuf);
  figure("json", memory.from_json);
}

}  // namespace

void BenchDocuments(Report& report) {
  Print(report, "pods", Pods(), AtMost(2.0));
  for (const char* kind : {"deployment", "node", "configmap", "event"}) {
    Print(report, kind, MakeSamples(kind, kCount), {});
  }
}

}  // namespace skiff::bench
