#include "store/etcd_server/grpc_frame.h"

#include <algorithm>
#include <utility>

namespace skiff {
namespace {

constexpr std::string_view kContentType = "application/grpc";

uint32_t MessageBytes(std::string_view prefix) {
  uint32_t size = 0;
  for (size_t i = 1; i < kGrpcPrefixBytes; ++i) {
    size = size << 8 | static_cast<uint8_t>(prefix[i]);
  }
  return size;
}

GrpcStatus CheckPrefix(std::string_view prefix, size_t max_bytes) {
  if (prefix[0] != 0)
    return {GrpcCode::kUnimplemented, "grpc: Decompressor is not installed for grpc-encoding"};
  const uint32_t size = MessageBytes(prefix);
  if (size <= max_bytes) return {};
  return {GrpcCode::kResourceExhausted, "grpc: received message larger than max (" +
                                            std::to_string(size) + " vs. " +
                                            std::to_string(max_bytes) + ")"};
}

std::string EscapeMessage(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
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

GrpcStatus GrpcReader::Read(std::string_view bytes,
                            const std::function<void(std::string_view)>& take) {
  std::string joined;
  if (!pending_.empty()) {
    pending_.append(bytes);
    joined = std::exchange(pending_, {});
    bytes = joined;
  }
  while (bytes.size() >= kGrpcPrefixBytes) {
    if (GrpcStatus good = CheckPrefix(bytes, max_bytes_); !good.ok()) return good;
    const size_t size = MessageBytes(bytes);
    if (bytes.size() - kGrpcPrefixBytes < size) break;
    take(bytes.substr(kGrpcPrefixBytes, size));
    bytes.remove_prefix(kGrpcPrefixBytes + size);
  }
  pending_ = bytes;
  return {};
}

GrpcResult<std::string_view> OnlyMessage(std::string_view body) {
  const GrpcStatus broken{GrpcCode::kInternal, "grpc: the request is not one whole message"};
  if (body.size() < kGrpcPrefixBytes) return std::unexpected(broken);
  if (GrpcStatus good = CheckPrefix(body, body.size()); good.code == GrpcCode::kUnimplemented)
    return std::unexpected(std::move(good));
  if (MessageBytes(body) != body.size() - kGrpcPrefixBytes) return std::unexpected(broken);
  return body.substr(kGrpcPrefixBytes);
}

void AddGrpcStatus(HttpHeaders& headers, const GrpcStatus& status) {
  headers.Add("grpc-status", std::to_string(static_cast<int>(status.code)));
  headers.Add("grpc-message", EscapeMessage(status.message));
}

HttpResponse GrpcStatusResponse(const GrpcStatus& status) {
  HttpResponse response;
  response.headers.Add("content-type", std::string(kContentType));
  AddGrpcStatus(response.headers, status);
  return response;
}

HttpResponse GrpcMessageResponse(SharedBytes frame) {
  HttpResponse response;
  response.headers.Add("content-type", std::string(kContentType));
  response.body = std::move(frame);
  AddGrpcStatus(response.trailers, {});
  return response;
}

}  // namespace skiff
