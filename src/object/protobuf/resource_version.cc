#include "object/protobuf/resource_version.h"

#include "object/protobuf/wire.h"

namespace skiff::object {
namespace {

constexpr uint32_t kMetadataKey = WireKey(1, WireType::kBytes);
constexpr uint32_t kResourceVersionKey = WireKey(6, WireType::kBytes);

// The key and length of a field of bytes.
size_t HeadSize(uint32_t key, size_t size) { return VarintSize(key) + VarintSize(size); }

size_t FieldSize(uint32_t key, size_t size) { return HeadSize(key, size) + size; }

void AppendHead(ByteBuffer& out, uint32_t key, size_t size) {
  auto* to = reinterpret_cast<uint8_t*>(out.Reserve(2 * kMaxVarintBytes));
  out.CommitTo(reinterpret_cast<char*>(WriteVarint(WriteVarint(to, key), size)));
}

}  // namespace

std::optional<ResourceVersionSplit> SplitAtResourceVersion(std::string_view message) {
  WireReader object(message);
  uint32_t key = 0;
  std::string_view metadata, own;
  if (object.ReadKey(&key) != WireError::kNone || key != kMetadataKey ||
      object.ReadBytes(&metadata) != WireError::kNone) {
    return std::nullopt;
  }
  WireReader fields(metadata);
  std::string_view after = metadata;
  for (uint32_t last = 0; !fields.done(); last = key) {
    after = fields.rest();
    if (fields.ReadKey(&key) != WireError::kNone || key < last) return std::nullopt;
    if (key > kResourceVersionKey) break;
    if (fields.Skip(key) != WireError::kNone) return std::nullopt;
    if (key == kResourceVersionKey) own = after.substr(0, after.size() - fields.left());
    after = fields.rest();
  }
  return ResourceVersionSplit{
      .before = metadata.substr(0, metadata.size() - after.size() - own.size()),
      .after = after,
      .rest = object.rest()};
}

size_t SizeWithResourceVersion(std::string_view message, std::string_view resource_version) {
  const size_t field_size = FieldSize(kResourceVersionKey, resource_version.size());
  const auto split = SplitAtResourceVersion(message);
  if (!split) return message.size() + FieldSize(kMetadataKey, field_size);
  return FieldSize(kMetadataKey, split->before.size() + field_size + split->after.size()) +
         split->rest.size();
}

void AppendWithResourceVersion(std::string_view message, std::string_view resource_version,
                               ByteBuffer& out) {
  const size_t field_size = FieldSize(kResourceVersionKey, resource_version.size());
  const auto append = [&](std::string_view part) {
    if (!part.empty()) out.Append(part);
  };
  const auto split = SplitAtResourceVersion(message);
  if (!split) append(message);
  const ResourceVersionSplit parts = split.value_or(ResourceVersionSplit{});
  AppendHead(out, kMetadataKey, parts.before.size() + field_size + parts.after.size());
  append(parts.before);
  AppendHead(out, kResourceVersionKey, resource_version.size());
  append(resource_version);
  append(parts.after);
  append(parts.rest);
}

}  // namespace skiff::object
