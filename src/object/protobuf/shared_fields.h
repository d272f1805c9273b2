// Objects at rest without the field sets that many of them have in common.
//
// More than half of a pod's bytes are managedFields, and pods that one program has made tell of the
// same fields: the text in `fieldsV1` is the same, while times and names around it differ. Who
// holds many objects can hold such a text once, a piece, and cut it out of each object. What
// remains is protobuf that can be read like any other, but that in the place of the text stand a
// zero byte, which no JSON begins with, and the number of the piece.
//
//   FieldsV1 { 1 Raw: `{"f:metadata":…` }   →   FieldsV1 { 1 Raw: 0 n }
//
// Joining gives the very same bytes again; what would not come back like that is not cut.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/shared_bytes.h"
#include "object/protobuf/wire.h"

namespace skiff::object {

inline constexpr size_t kMaxPieces = 7;        // of one object
inline constexpr size_t kMinPieceBytes = 256;  // of a text that is worth it

using Pieces = std::span<const SharedBytes>;

// The piece that a field set stands for; the text itself if it is none.
inline std::string_view FieldSetText(std::string_view text, Pieces pieces) {
  const bool is_piece = text.size() == 2 && text[0] == '\0';
  const auto number = is_piece ? static_cast<uint8_t>(text[1]) : size_t{0};
  return is_piece && number < pieces.size() ? pieces[number].view() : text;
}

// Cuts stored bytes, envelope included. `find` is asked for each text of at least kMinPieceBytes,
// and gives the piece that holds the same, or nothing. False if nothing was cut.
using FindPiece = std::function<std::optional<SharedBytes>(std::string_view text)>;
bool CutFieldSets(std::string_view stored, const FindPiece& find, ByteBuffer& cut,
                  std::vector<SharedBytes>& pieces);

// The stored bytes as they were.
SharedBytes JoinFieldSets(std::string_view cut, Pieces pieces);

// A message, without its envelope, that is joined, and gets a resourceVersion unless that is empty,
// while it is copied. Looks at what it is made of.
class JoinedMessage {
 public:
  JoinedMessage(std::string_view cut, std::string_view resource_version, Pieces pieces);
  JoinedMessage(const JoinedMessage&) = delete;
  JoinedMessage& operator=(const JoinedMessage&) = delete;

  size_t size() const { return size_; }
  char* CopyTo(char* to) const;
  void AppendTo(ByteBuffer& out) const { out.CommitTo(CopyTo(out.Reserve(size_))); }

 private:
  // Each piece comes with three heads and the runs between them.
  static constexpr size_t kMaxParts = 7 * kMaxPieces + 8;
  static constexpr size_t kMaxHeads = 3 * kMaxPieces + 2;

  void Add(std::string_view part);
  void AddHead(uint32_t key, size_t size);
  void AddVersion(std::string_view version);
  bool AddEntry(std::string_view entry, Pieces pieces, std::string_view before);

  std::array<std::string_view, kMaxParts> parts_;
  size_t count_ = 1;  // the first is the head of the metadata
  size_t size_ = 0;
  std::array<char, kMaxHeads * 2 * kMaxVarintBytes> heads_;
  size_t head_bytes_ = 0;
};

}  // namespace skiff::object
