// Answers of gRPC, as the client reads them: whatever comes over HTTP/2 is read or refused, and
// frames of messages in the same way however they are cut into pieces.
//
// The first byte says how long the pieces are and, with its highest bit, whether the rest is what a
// server sends on a connection, or the body of an answer.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "grpc/frame.h"
#include "net/client/client_protocol.h"

namespace skiff {
namespace {

constexpr size_t kMaxBytes = 4096;

// One call on a connection; what comes back is read as gRPC.
class Caller final : public net::ClientProtocol::Owner, public net::ResponseHandler {
 public:
  Caller() {
    stream_.handler = this;
    stream_.request.method = "POST";
    stream_.request.path = "/test.Test/Echo";
    stream_.request.body = SharedBytes("one");
    stream_.request.streams_body = true;
    stream_.body_ended = false;
    protocol_->Submit(stream_);
    Flush();
  }
  void Feed(std::string_view bytes) {
    if (!is_well_) return;
    is_well_ = protocol_->Receive(bytes).has_value();
    if (is_well_) Flush();
  }

 private:
  void Flush() {
    ByteBuffer sent;
    is_well_ = protocol_->Fill(sent).has_value();
  }
  void OnStreamEnd(net::ClientStream& stream, Result<void>) override { stream.handler = nullptr; }
  void OnMoreRoom() override {}
  void OnHead(int, const net::HttpHeaders& headers) override {
    static_cast<void>(grpc::ReadGrpcStatus(headers));
    reader_ = GrpcReaderFor(headers);
  }
  static std::unique_ptr<grpc::GrpcReader> GrpcReaderFor(const net::HttpHeaders& headers) {
    const auto encoding = grpc::ParseGrpcEncoding(headers.Get("grpc-encoding"));
    return encoding ? std::make_unique<grpc::GrpcReader>(kMaxBytes, *encoding) : nullptr;
  }
  void OnBody(std::string_view bytes) override {
    if (reader_ == nullptr) return;
    if (!reader_->Read(bytes, [](std::string_view) {}).ok()) reader_.reset();
  }
  void OnTrailers(const net::HttpHeaders& trailers) override {
    const auto status = grpc::ReadGrpcStatus(trailers);
    if (!status) return;
    net::HttpHeaders again;
    grpc::AddGrpcStatus(again, *status);
    if (grpc::ReadGrpcStatus(again) != status) std::abort();
  }
  void OnEnd(Result<void>) override {}

  const net::ClientEndpoint endpoint_ = *net::ParseEndpoint("http://127.0.0.1");
  const net::HttpHeaders headers_;
  net::ClientStream stream_;
  std::unique_ptr<grpc::GrpcReader> reader_;
  bool is_well_ = true;
  std::unique_ptr<net::ClientProtocol> protocol_ =
      net::MakeHttp2ClientProtocol({endpoint_, headers_}, *this);
};

std::string ReadFrames(std::string_view body, size_t piece) {
  std::string told;
  grpc::GrpcReader reader(kMaxBytes, grpc::GrpcEncoding::kGzip);
  for (size_t at = 0; at < body.size(); at += piece) {
    const grpc::GrpcStatus read =
        reader.Read(body.substr(at, piece), [&](std::string_view message) {
          told.append(std::to_string(message.size())).append(":").append(message);
        });
    if (!read.ok()) return told + "!" + read.message;
  }
  return told + (reader.is_within_message() ? "…" : ".");
}

}  // namespace
}  // namespace skiff

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skiff;
  if (size < 2 || size > 16 * 1024) return 0;
  const size_t piece = 1 + data[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 0x80) != 0) {
    Caller caller;
    for (size_t at = 0; at < text.size(); at += piece) caller.Feed(text.substr(at, piece));
    return 0;
  }
  if (ReadFrames(text, text.size()) != ReadFrames(text, piece)) std::abort();
  return 0;
}
