// Answers of HTTP/1.1, as the client reads them: whatever comes is read or refused, and in the same
// way however it is cut into pieces. What is compressed is inflated or refused.
//
// The first byte says how long the pieces are, the rest is what a server sends.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/client/client_protocol.h"
#include "net/gzip.h"

namespace skiff {
namespace {

class Reader final : public net::ClientProtocol::Owner, public net::ResponseHandler {
 public:
  Reader() {
    stream_.handler = this;
    stream_.request.path = "/";
    protocol_->Submit(stream_);
    ByteBuffer sent;
    static_cast<void>(protocol_->Fill(sent));
  }
  bool Feed(std::string_view bytes) { return protocol_->Receive(bytes).has_value(); }
  void End() { protocol_->OnInputEnd(); }
  const std::string& told() const { return told_; }

 private:
  void OnStreamEnd(net::ClientStream&, Result<void> outcome) override {
    told_ += outcome ? "." : "!";
  }
  void OnMoreRoom() override {}
  void OnHead(int code, const net::HttpHeaders& headers) override {
    told_ += std::to_string(code) + "+" + std::to_string(headers.fields().size()) + " ";
  }
  void OnBody(std::string_view bytes) override { told_ += bytes; }
  void OnEnd(Result<void>) override {}

  const net::ClientEndpoint endpoint_ = *net::ParseEndpoint("http://127.0.0.1");
  const net::HttpHeaders headers_;
  net::ClientStream stream_;
  std::string told_;
  std::unique_ptr<net::ClientProtocol> protocol_ =
      net::MakeHttp1ClientProtocol({endpoint_, headers_}, *this);
};

}  // namespace
}  // namespace skiff

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skiff;
  if (size < 1 || size > 16 * 1024) return 0;
  const size_t piece = 1 + data[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  Reader whole;
  const bool well = text.empty() || whole.Feed(text);
  Reader pieces;
  bool pieces_well = true;
  for (size_t at = 0; pieces_well && at < text.size(); at += piece)
    pieces_well = pieces.Feed(text.substr(at, piece));
  if (well != pieces_well || (well && whole.told() != pieces.told())) std::abort();
  pieces.End();

  net::GzipReader gzip;
  size_t inflated = 0;
  static_cast<void>(gzip.Add(text, [&](std::string_view bytes) {
    inflated += bytes.size();
    return inflated < 1024 * 1024;
  }));
  return 0;
}
