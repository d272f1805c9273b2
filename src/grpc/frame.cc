#include "grpc/frame.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/hex.h"
#include "net/gzip.h"

namespace skiff::grpc {
namespace {

constexpr std::string_view kContentType = "application/grpc";

uint32_t MessageBytes(std::string_view prefix) {
  uint32_t size = 0;
  for (size_t i = 1; i < kGrpcPrefixBytes; ++i) {
    size = size << 8 | static_cast<uint8_t>(prefix[i]);
  }
  return size;
}

GrpcStatus TooLarge(size_t size, size_t max_bytes) {
  return {GrpcCode::kResourceExhausted, "grpc: received message larger than max (" +
                                            std::to_string(size) + " vs. " +
                                            std::to_string(max_bytes) + ")"};
}

GrpcStatus CheckPrefix(std::string_view prefix, size_t max_bytes, GrpcEncoding encoding) {
  if (prefix[0] != 0 && encoding == GrpcEncoding::kIdentity)
    return {GrpcCode::kInternal, "grpc: compressed flag set with identity or empty encoding"};
  const uint32_t size = MessageBytes(prefix);
  return size <= max_bytes ? GrpcStatus() : TooLarge(size, max_bytes);
}

// Of a prefix that has been checked, and the bytes behind it.
GrpcResult<std::string_view> Inflate(std::string_view prefix, std::string_view bytes,
                                     size_t max_bytes, std::string* inflated) {
  if (prefix[0] == 0) return bytes;
  Result<std::string> plain = net::GunzipBytes(bytes, max_bytes);
  if (plain) return *inflated = *std::move(plain);
  if (plain.error().reason() == StatusReason::kRequestEntityTooLarge) {
    return std::unexpected(GrpcStatus{
        GrpcCode::kResourceExhausted,
        "grpc: received message after decompression larger than max " + std::to_string(max_bytes)});
  }
  return std::unexpected(
      GrpcStatus{GrpcCode::kInternal,
                 "grpc: failed to decompress the received message: " + plain.error().message()});
}

std::string EscapeMessage(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') {
      out += c;
    } else {
      (out += '%') += HexByte(byte, HexCase::kUpper);
    }
  }
  return out;
}

// What is not a byte in two digits stays as it is.
std::string UnescapeMessage(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void WriteGrpcPrefix(char* out, size_t size) {
  out[0] = 0;
  for (size_t i = 1; i < kGrpcPrefixBytes; ++i) {
    out[i] = static_cast<char>(size >> (8 * (kGrpcPrefixBytes - 1 - i)));
  }
}

GrpcStatus GrpcReader::Take(std::string_view framed,
                            const std::function<void(std::string_view)>& take) const {
  std::string inflated;
  const auto message = Inflate(framed, framed.substr(kGrpcPrefixBytes), max_bytes_, &inflated);
  if (!message) return message.error();
  take(*message);
  return {};
}

// Messages that come in whole are taken where they lie. Of another no byte is copied twice, however
// many pieces it comes in; room for it is made as it comes, since its length is only a claim.
GrpcStatus GrpcReader::Read(std::string_view bytes,
                            const std::function<void(std::string_view)>& take) {
  while (!bytes.empty()) {
    if (pending_.size() < kGrpcPrefixBytes && !pending_.empty()) {
      const size_t missing = std::min(kGrpcPrefixBytes - pending_.size(), bytes.size());
      pending_.append(bytes.substr(0, missing));
      bytes.remove_prefix(missing);
    }
    const std::string_view prefix = pending_.empty() ? bytes : std::string_view(pending_);
    if (prefix.size() < kGrpcPrefixBytes) break;
    if (GrpcStatus good = CheckPrefix(prefix, max_bytes_, encoding_); !good.ok()) return good;
    const size_t whole = kGrpcPrefixBytes + MessageBytes(prefix);
    if (pending_.empty() && bytes.size() >= whole) {
      if (GrpcStatus taken = Take(bytes.substr(0, whole), take); !taken.ok()) return taken;
      bytes.remove_prefix(whole);
      continue;
    }
    const size_t missing = std::min(whole - pending_.size(), bytes.size());
    pending_.append(bytes.substr(0, missing));
    bytes.remove_prefix(missing);
    if (pending_.size() < whole) return {};
    const std::string framed = std::exchange(pending_, {});
    if (GrpcStatus taken = Take(framed, take); !taken.ok()) return taken;
  }
  if (pending_.empty()) pending_ = bytes;
  return {};
}

GrpcResult<std::string_view> OnlyMessage(std::string_view body, size_t max_bytes,
                                         GrpcEncoding encoding, std::string* inflated) {
  const GrpcStatus broken{GrpcCode::kInternal, "grpc: the request is not one whole message"};
  if (body.size() < kGrpcPrefixBytes) return std::unexpected(broken);
  if (GrpcStatus good = CheckPrefix(body, max_bytes, encoding); !good.ok())
    return std::unexpected(std::move(good));
  const std::string_view bytes = body.substr(kGrpcPrefixBytes);
  if (MessageBytes(body) != bytes.size()) return std::unexpected(broken);
  return Inflate(body, bytes, max_bytes, inflated);
}

std::optional<GrpcEncoding> ParseGrpcEncoding(std::string_view name) {
  if (name.empty() || name == "identity") return GrpcEncoding::kIdentity;
  if (name == "gzip") return GrpcEncoding::kGzip;
  return std::nullopt;
}

net::HttpResponse GrpcBadEncodingResponse(std::string_view name) {
  net::HttpResponse response = GrpcStatusResponse(
      {GrpcCode::kUnimplemented,
       "grpc: Decompressor is not installed for grpc-encoding \"" + std::string(name) + "\""});
  response.headers.Add("grpc-accept-encoding", "identity,gzip");
  return response;
}

std::optional<Duration> ParseGrpcTimeout(std::string_view text) {
  constexpr size_t kMaxDigits = 8;
  constexpr std::string_view kUnits = "HMSmun";
  constexpr std::array<Duration, 6> kLengths = {
      std::chrono::hours(1),        std::chrono::minutes(1),      std::chrono::seconds(1),
      std::chrono::milliseconds(1), std::chrono::microseconds(1), std::chrono::nanoseconds(1)};
  if (text.size() < 2 || text.size() > kMaxDigits + 1) return std::nullopt;
  const size_t unit = kUnits.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  // The longest, in hours, is more than nanoseconds can count.
  const auto most = static_cast<uint64_t>(Duration::max() / 2 / kLengths[unit]);
  return kLengths[unit] * static_cast<int64_t>(std::min(number, most));
}

std::string FormatGrpcTimeout(Duration timeout) {
  constexpr int64_t kMost = 99'999'999;
  constexpr std::pair<char, Duration> kUnits[] = {{'n', std::chrono::nanoseconds(1)},
                                                  {'u', std::chrono::microseconds(1)},
                                                  {'m', std::chrono::milliseconds(1)},
                                                  {'S', std::chrono::seconds(1)},
                                                  {'M', std::chrono::minutes(1)}};
  const int64_t count = std::max<int64_t>(timeout.count(), 0);
  for (const auto& [unit, length] : kUnits) {
    const int64_t number = count / length.count() + (count % length.count() != 0 ? 1 : 0);
    if (number <= kMost) return std::to_string(number) + unit;
  }
  return std::to_string(std::min(count / Duration(std::chrono::hours(1)).count() + 1, kMost)) + "H";
}

void AddGrpcStatus(net::HttpHeaders& headers, const GrpcStatus& status) {
  headers.Add("grpc-status", std::to_string(static_cast<int>(status.code)));
  headers.Add("grpc-message", EscapeMessage(status.message));
}

std::optional<GrpcStatus> ReadGrpcStatus(const net::HttpHeaders& headers) {
  const std::string_view text = headers.Get("grpc-status");
  int code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (error != std::errc() || end != text.data() + text.size() || code < 0) return std::nullopt;
  // A code that is not known means just that.
  if (code > static_cast<int>(GrpcCode::kUnauthenticated))
    code = static_cast<int>(GrpcCode::kUnknown);
  return GrpcStatus{static_cast<GrpcCode>(code), UnescapeMessage(headers.Get("grpc-message"))};
}

net::HttpResponse GrpcStatusResponse(const GrpcStatus& status) {
  net::HttpResponse response;
  response.headers.Add("content-type", std::string(kContentType));
  AddGrpcStatus(response.headers, status);
  return response;
}

net::HttpResponse GrpcMessageResponse(SharedBytes frame) {
  net::HttpResponse response;
  response.headers.Add("content-type", std::string(kContentType));
  response.body = std::move(frame);
  AddGrpcStatus(response.trailers, {});
  return response;
}

}  // namespace skiff::grpc
