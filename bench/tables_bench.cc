// A list of pods as `kubectl get` asks for it: a table whose rows hold cells and metadata. Beside
// it the same pods written out in full, and their metadata alone. The limit is 60 ms of CPU for
// 10,000.
//
// What is timed at once is short, so that a busy machine leaves some of it undisturbed; each time
// it is the next pods, so that the processor's caches do not know them.
#include <cstdlib>
#include <string>
#include <vector>

#include "apiserver/tables/partial_metadata.h"
#include "apiserver/tables/table_writer.h"
#include "bench/benches.h"
#include "bench/samples.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "object/transcode/protobuf_to_json.h"

namespace skiff::bench {
namespace {

constexpr double kSeconds = 3.0;
constexpr size_t kRows = 250;  // timed at once
constexpr size_t kChunk = 64 * 1024;
constexpr double kLimitMicroseconds = 6.0;
constexpr object::Timestamp kNow{1'768'046'400, 0};

std::vector<std::string> StoredPods(const Samples& pods) {
  std::vector<std::string> all;
  for (const Sample& pod : pods.all) {
    std::string& stored = all.emplace_back();
    object::AppendProtobufEnvelope(
        {.api_version = pods.api_version, .kind = pods.kind, .raw = pod.protobuf}, &stored);
  }
  return all;
}

// Calls `write(i)` for each row, from row `next` on. What was written is sent, here dropped, in
// chunks.
template <typename Write>
void Stream(size_t& next, ByteBuffer& out, Write write) {
  const size_t end = next + kRows;
  for (size_t i = next; i < end; ++i) {
    if (out.size() >= kChunk) {
      Keep(out);
      out.Clear();
    }
    if (!write(i)) std::abort();
  }
  next = end;
  Keep(out);
}

}  // namespace

void BenchTables(Report& report) {
  const Samples& pods = Pods();
  const std::vector<std::string> stored = StoredPods(pods);
  const auto columns = apiserver::TableColumns::Make(*object::FindPreferredResource("", "pods"));
  if (!columns) std::abort();
  const auto object = [&](size_t i) {
    return apiserver::ObjectBytes{stored[i % stored.size()],
                                  store::Revision{static_cast<int64_t>(1'000'000 + i)}};
  };
  ByteBuffer out(2 * kChunk), scratch;
  size_t next[4] = {};
  const auto [table, cells, metadata, whole] = BestSecondsEach(
      kSeconds,
      [&] {
        apiserver::TableWriter writer(*columns, {});
        writer.Begin({.revision = {2'000'000}}, out);
        Stream(next[0], out, [&](size_t i) { return writer.Row(object(i), kNow, out); });
        writer.End(out);
      },
      [&] {
        Stream(next[1], out, [&](size_t i) {
          return (*columns)->AppendCells(object(i).stored, kNow, scratch, out);
        });
      },
      [&] {
        Stream(next[2], out, [&](size_t i) {
          return apiserver::AppendPartialMetadataJson(object(i), apiserver::MetaVersion::kV1,
                                                      scratch, out);
        });
      },
      [&] {
        Stream(next[3], out, [&](size_t i) {
          const Sample& pod = pods.all[i % pods.all.size()];
          return object::ProtobufToJson(pod.protobuf, *pods.type, pods.api_version, pods.kind, out);
        });
      });
  const auto microseconds = [](double seconds) { return seconds / kRows * 1e6; };
  report.Figure("table_row_of_a_pod", microseconds(table), "us",
                microseconds(table) / kLimitMicroseconds, "the_limit_6_us", AtMost(1.0));
  report.Figure("table_row_of_a_pod", microseconds(table), "us", table / whole,
                "the_whole_pod_as_json");
  report.Figure("table_cells_of_a_pod", microseconds(cells), "us", cells / table, "the_row");
  report.Figure("partial_metadata_of_a_pod", microseconds(metadata), "us", metadata / table,
                "the_row");
}

}  // namespace skiff::bench
