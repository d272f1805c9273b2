// Protobuf messages into documents and back, beside the C++ that protoc generates for the same
// message (tools/schema/emit_proto.py writes the .proto files).
#include <cstdlib>

#include <google/protobuf/arena.h>

#include "bench/benches.h"
#include "bench/samples.h"
#include "core/v1.pb.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"

namespace skiff::bench {
namespace {

using PeerPod = k8s::io::api::core::v1::Pod;
constexpr double kSeconds = 3.0;

void Parse(const Sample& pod, PeerPod& message) {
  if (!message.ParseFromArray(pod.protobuf.data(), static_cast<int>(pod.protobuf.size()))) {
    std::abort();
  }
  Keep(message);
}

void BenchDecode(Report& report) {
  const Samples& pods = Pods();
  const auto [ours, heap, arena] = BestSecondsEach(
      kSeconds,
      [&] {
        for (const Sample& pod : pods.all) {
          const auto document = object::DecodeProtobuf(pod.protobuf, pods.type);
          if (!document) std::abort();
          Keep(document->root());
        }
      },
      [&] {
        for (const Sample& pod : pods.all) {
          PeerPod message;
          Parse(pod, message);
        }
      },
      [&] {
        for (const Sample& pod : pods.all) {
          google::protobuf::Arena memory;
          Parse(pod, *google::protobuf::Arena::CreateMessage<PeerPod>(&memory));
        }
      });
  const auto bytes = static_cast<double>(pods.protobuf_bytes);
  report.Figure("protobuf_decode_pods", bytes / ours / 1e6, "MB/s", heap / ours, "protoc_heap",
                AtLeast(0.5));
  report.Figure("protobuf_decode_pods_arena", bytes / ours / 1e6, "MB/s", arena / ours,
                "protoc_arena");
}

void BenchEncode(Report& report) {
  const Samples& pods = Pods();
  std::vector<object::Document> documents;
  std::vector<PeerPod> messages(pods.all.size());
  for (size_t i = 0; i < pods.all.size(); ++i) {
    documents.push_back(*object::DecodeProtobuf(pods.all[i].protobuf, pods.type));
    Parse(pods.all[i], messages[i]);
  }
  std::string out;
  const auto [ours, peer] = BestSecondsEach(
      kSeconds / 2,
      [&] {
        for (const object::Document& document : documents) {
          out.clear();
          object::EncodeProtobuf(document.root(), &out);
          Keep(out);
        }
      },
      [&] {
        for (const PeerPod& message : messages) {
          out.resize(message.ByteSizeLong());
          if (!message.SerializeToArray(out.data(), static_cast<int>(out.size()))) std::abort();
          Keep(out);
        }
      });
  const auto bytes = static_cast<double>(pods.protobuf_bytes);
  report.Figure("protobuf_encode_pods", bytes / ours / 1e6, "MB/s", peer / ours, "protoc");
}

}  // namespace

void BenchProtobuf(Report& report) {
  BenchDecode(report);
  BenchEncode(report);
}

}  // namespace skiff::bench
