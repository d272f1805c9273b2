// Messages of gRPC as they lie in the body of an HTTP/2 request or answer: a byte that says whether
// the message is compressed, its length in four bytes, big-endian, and the message.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/shared_bytes.h"
#include "grpc/status.h"
#include "net/http.h"

namespace skiff::grpc {

inline constexpr size_t kGrpcPrefixBytes = 5;

// Writes the prefix of a message of that size.
void WriteGrpcPrefix(char* out, size_t size);

// Any class that protobuf made.
template <typename Message>
SharedBytes FrameMessage(const Message& message) {
  const size_t size = message.ByteSizeLong();
  return SharedBytes::Make(kGrpcPrefixBytes + size, [&](char* out) {
    WriteGrpcPrefix(out, size);
    message.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(out + kGrpcPrefixBytes));
  });
}

// How messages that say that they are compressed are (the header grpc-encoding).
enum class GrpcEncoding : uint8_t { kIdentity, kGzip };
// None: nobody here reads that.
std::optional<GrpcEncoding> ParseGrpcEncoding(std::string_view name);
// Refuses an encoding, and says which ones are read.
net::HttpResponse GrpcBadEncodingResponse(std::string_view name);

// The header grpc-timeout: up to eight digits and a unit, one of "HMSmun".
std::optional<Duration> ParseGrpcTimeout(std::string_view text);
// The shortest that eight digits can say and that is not shorter.
std::string FormatGrpcTimeout(Duration timeout);

// Cuts a stream of bytes into messages, and inflates those that are compressed. Neither form of a
// message may have more than max_bytes.
class GrpcReader {
 public:
  explicit GrpcReader(size_t max_bytes, GrpcEncoding encoding = GrpcEncoding::kIdentity)
      : max_bytes_(max_bytes), encoding_(encoding) {}
  // Calls `take` for each message that is whole now. After an error there is nothing more to read.
  GrpcStatus Read(std::string_view bytes, const std::function<void(std::string_view)>& take);
  // Whether the last message is there in part only.
  bool is_within_message() const { return !pending_.empty(); }

 private:
  GrpcStatus Take(std::string_view framed, const std::function<void(std::string_view)>& take) const;

  const size_t max_bytes_;
  const GrpcEncoding encoding_;
  std::string pending_;
};

// The one message of a body. It lies in the body, or in `inflated` if it was compressed.
GrpcResult<std::string_view> OnlyMessage(std::string_view body, size_t max_bytes,
                                         GrpcEncoding encoding, std::string* inflated);

// What an answer ends with. Texts are escaped as gRPC wants it.
void AddGrpcStatus(net::HttpHeaders& headers, const GrpcStatus& status);
// The same, read. None: it is not there, or is no number.
std::optional<GrpcStatus> ReadGrpcStatus(const net::HttpHeaders& headers);
// An answer that has nothing but a status.
net::HttpResponse GrpcStatusResponse(const GrpcStatus& status);
// An answer of one message.
net::HttpResponse GrpcMessageResponse(SharedBytes frame);

}  // namespace skiff::grpc
