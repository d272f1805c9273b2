#include "object/protobuf/shared_fields.h"

#include <cassert>
#include <cstring>

#include "object/protobuf/envelope.h"

namespace skiff::object {
namespace {

constexpr uint32_t kMetadataKey = WireKey(1, WireType::kBytes);
constexpr uint32_t kResourceVersionKey = WireKey(6, WireType::kBytes);  // of metadata
constexpr uint32_t kManagedFieldsKey = WireKey(17, WireType::kBytes);   // of metadata
constexpr uint32_t kFieldSetKey = WireKey(7, WireType::kBytes);         // of one of these
constexpr uint32_t kTextKey = WireKey(1, WireType::kBytes);             // of a field set
constexpr uint32_t kTypeMetaKey = WireKey(1, WireType::kBytes);         // of an envelope
constexpr uint32_t kRawKey = WireKey(2, WireType::kBytes);              // of an envelope

bool ReadField(WireReader& in, uint32_t* key, std::string_view* body) {
  if (in.ReadKey(key) != WireError::kNone) return false;
  if (WireTypeOf(*key) == WireType::kBytes) return in.ReadBytes(body) == WireError::kNone;
  *body = {};
  return in.Skip(*key) == WireError::kNone;
}

std::string_view Between(const uint8_t* from, const uint8_t* to) {
  return {reinterpret_cast<const char*>(from), static_cast<size_t>(to - from)};
}

void AppendField(uint32_t key, std::string_view body, ByteBuffer& out) {
  auto* const to = reinterpret_cast<uint8_t*>(out.Reserve(2 * kMaxVarintBytes));
  out.CommitTo(reinterpret_cast<char*>(WriteVarint(WriteVarint(to, key), body.size())));
  out.Append(body);
}

// An entry of managedFields: what stands before its field set, the text of that, and the rest.
struct EntryParts {
  std::string_view before;
  std::string_view text;
  std::string_view after;
};

std::optional<EntryParts> SplitEntry(std::string_view entry) {
  for (WireReader in(entry); !in.done();) {
    const uint8_t* const start = in.at;
    uint32_t key = 0;
    std::string_view set, text;
    if (!ReadField(in, &key, &set)) return std::nullopt;
    if (key != kFieldSetKey) continue;
    WireReader of_set(set);
    if (!ReadField(of_set, &key, &text) || key != kTextKey || !of_set.done()) return std::nullopt;
    const std::string_view rest = in.rest();
    return EntryParts{Between(reinterpret_cast<const uint8_t*>(entry.data()), start), text, rest};
  }
  return std::nullopt;
}

void AppendEntry(const EntryParts& parts, std::string_view text, ByteBuffer& out) {
  ByteBuffer set;
  AppendField(kTextKey, text, set);
  out.Append(parts.before);
  AppendField(kFieldSetKey, set.view(), out);
  out.Append(parts.after);
}

// Copies metadata; false if nothing was cut, or if something stands there that looks cut already.
bool CutMetadata(std::string_view metadata, const FindPiece& find, ByteBuffer& cut,
                 std::vector<SharedBytes>& pieces) {
  for (WireReader in(metadata); !in.done();) {
    const uint8_t* const start = in.at;
    uint32_t key = 0;
    std::string_view body;
    if (!ReadField(in, &key, &body)) return false;
    const auto entry = key == kManagedFieldsKey ? SplitEntry(body) : std::nullopt;
    if (entry && entry->text.starts_with('\0')) return false;
    std::optional<SharedBytes> piece;
    if (entry && entry->text.size() >= kMinPieceBytes && pieces.size() < kMaxPieces)
      piece = find(entry->text);
    if (!piece) {
      cut.Append(Between(start, in.at));
      continue;
    }
    const char number[] = {'\0', static_cast<char>(pieces.size())};
    pieces.push_back(std::move(*piece));
    ByteBuffer shorter;
    AppendEntry(*entry, {number, sizeof number}, shorter);
    AppendField(kManagedFieldsKey, shorter.view(), cut);
  }
  return !pieces.empty();
}

// Stored bytes: the prefix and the types; the object; the rest.
struct StoredParts {
  std::string_view before;
  std::string_view raw;
  std::string_view after;
};

std::optional<StoredParts> SplitStored(std::string_view stored) {
  if (!HasProtobufPrefix(stored)) return std::nullopt;
  WireReader in(stored.substr(kProtobufPrefix.size()));
  uint32_t key = 0;
  std::string_view types, raw;
  if (!ReadField(in, &key, &types) || key != kTypeMetaKey) return std::nullopt;
  const uint8_t* const raw_at = in.at;
  if (!ReadField(in, &key, &raw) || key != kRawKey) return std::nullopt;
  return StoredParts{Between(reinterpret_cast<const uint8_t*>(stored.data()), raw_at), raw,
                     in.rest()};
}

}  // namespace

bool CutFieldSets(std::string_view stored, const FindPiece& find, ByteBuffer& cut,
                  std::vector<SharedBytes>& pieces) {
  pieces.clear();
  const auto parts = SplitStored(stored);
  if (!parts) return false;
  WireReader object(parts->raw);
  uint32_t key = 0;
  std::string_view metadata;
  if (!ReadField(object, &key, &metadata) || key != kMetadataKey) return false;
  ByteBuffer shorter(metadata.size());
  if (!CutMetadata(metadata, find, shorter, pieces)) return false;
  ByteBuffer raw(parts->raw.size());
  AppendField(kMetadataKey, shorter.view(), raw);
  raw.Append(object.rest());
  cut.Append(parts->before);
  AppendField(kRawKey, raw.view(), cut);
  cut.Append(parts->after);
  return JoinFieldSets(cut.view(), pieces).view() == stored;
}

SharedBytes JoinFieldSets(std::string_view cut, Pieces pieces) {
  const auto parts = SplitStored(cut);
  if (!parts) return SharedBytes(cut);
  const JoinedMessage message(parts->raw, {}, pieces);
  uint8_t head[2 * kMaxVarintBytes];
  const uint8_t* const end = WriteVarint(WriteVarint(head, kRawKey), message.size());
  const std::string_view raw_head = Between(head, end);
  const size_t size = parts->before.size() + raw_head.size() + message.size() + parts->after.size();
  return SharedBytes::Make(size, [&](char* to) {
    const auto copy = [&to](std::string_view part) {
      if (!part.empty()) std::memcpy(to, part.data(), part.size());
      to += part.size();
    };
    copy(parts->before);
    copy(raw_head);
    to = message.CopyTo(to);
    copy(parts->after);
  });
}

void JoinedMessage::Add(std::string_view part) {
  if (part.empty()) return;
  assert(count_ < kMaxParts);
  parts_[count_++] = part;
  size_ += part.size();
}

void JoinedMessage::AddHead(uint32_t key, size_t size) {
  auto* const from = reinterpret_cast<uint8_t*>(heads_.data() + head_bytes_);
  const std::string_view head = Between(from, WriteVarint(WriteVarint(from, key), size));
  head_bytes_ += head.size();
  Add(head);
}

void JoinedMessage::AddVersion(std::string_view version) {
  AddHead(kResourceVersionKey, version.size());
  Add(version);
}

// False, and nothing is added, if the entry is whole. `before` is what stands before it and has not
// been added.
bool JoinedMessage::AddEntry(std::string_view entry, Pieces pieces, std::string_view before) {
  const auto parts = SplitEntry(entry);
  if (!parts) return false;
  const std::string_view text = FieldSetText(parts->text, pieces);
  if (text.data() == parts->text.data()) return false;
  const size_t set = VarintSize(kTextKey) + VarintSize(text.size()) + text.size();
  Add(before);
  AddHead(kManagedFieldsKey, parts->before.size() + VarintSize(kFieldSetKey) + VarintSize(set) +
                                 set + parts->after.size());
  Add(parts->before);
  AddHead(kFieldSetKey, set);
  AddHead(kTextKey, text.size());
  Add(text);
  Add(parts->after);
  return true;
}

JoinedMessage::JoinedMessage(std::string_view cut, std::string_view resource_version,
                             Pieces pieces) {
  WireReader object(cut);
  uint32_t key = 0;
  std::string_view metadata;
  if (!ReadField(object, &key, &metadata) || key != kMetadataKey) {  // what was cut has metadata
    parts_[0] = {};
    Add(cut);
    return;
  }
  bool needs_version = !resource_version.empty();
  WireReader in(metadata);
  const uint8_t* added = in.at;  // up to here
  while (!in.done()) {
    const uint8_t* const start = in.at;
    std::string_view body;
    if (!ReadField(in, &key, &body)) break;
    if (needs_version && key >= kResourceVersionKey) {
      Add(Between(added, start));
      AddVersion(resource_version);
      added = key == kResourceVersionKey ? in.at : start;
      needs_version = false;
    }
    if (key == kManagedFieldsKey && AddEntry(body, pieces, Between(added, start))) added = in.at;
  }
  Add(Between(added, in.end));
  if (needs_version) AddVersion(resource_version);
  // The head's length is known by now.
  auto* const from = reinterpret_cast<uint8_t*>(heads_.data() + head_bytes_);
  parts_[0] = Between(from, WriteVarint(WriteVarint(from, kMetadataKey), size_));
  size_ += parts_[0].size();
  Add(object.rest());
}

char* JoinedMessage::CopyTo(char* to) const {
  for (size_t i = 0; i < count_; ++i) {
    if (!parts_[i].empty()) std::memcpy(to, parts_[i].data(), parts_[i].size());
    to += parts_[i].size();
  }
  return to;
}

}  // namespace skiff::object
