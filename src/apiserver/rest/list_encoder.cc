#include "apiserver/rest/list_encoder.h"

#include <string>
#include <utility>

#include "apiserver/rest/object_forms.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/wire.h"

namespace skiff {
namespace {

// What comes from no store has no revision.
void AppendListMeta(ByteBuffer& out, ListReply& reply) {
  if (reply.revision().value == 0) {
    out.Append("\"metadata\":{}");
    return;
  }
  out.Append("\"metadata\":{\"resourceVersion\":\"");
  AppendJsonInt(out, reply.revision().value);
  out.Append('"');
  const ListReply::Page& page = reply.page();
  if (!page.continue_token.empty()) {
    out.Append(",\"continue\":");
    AppendJsonString(out, page.continue_token);
  }
  if (page.remaining) {
    out.Append(",\"remainingItemCount\":");
    AppendJsonInt(out, *page.remaining);
  }
  out.Append('}');
}

std::string ListKindOf(const ResourceDesc& resource) {
  return resource.list_kind != nullptr ? std::string(resource.list_kind->name)
                                       : std::string(resource.kind_name) + "List";
}

class JsonListEncoder final : public ListEncoder {
 public:
  JsonListEncoder(const Endpoint& endpoint, ListReply reply)
      : view_(*endpoint.view), reply_(std::move(reply)), at_(reply_.Entries()) {}

  Result<bool> Append(ByteBuffer& out, size_t until) override {
    if (!begun_) Begin(out);
    while (out.size() < until) {
      const CacheEntry* entry = at_.Next();
      if (entry == nullptr) {
        out.Append("]}\n");
        return false;
      }
      if (!first_) out.Append(',');
      first_ = false;
      SKIFF_RETURN_IF_ERROR(
          view_.AppendJson(entry->value().view(), entry->revision(), ObjectView::As::kItem, out));
    }
    return true;
  }

 private:
  void Begin(ByteBuffer& out) {
    begun_ = true;
    out.Append("{\"kind\":");
    AppendJsonString(out, ListKindOf(view_.resource()));
    out.Append(",\"apiVersion\":");
    AppendJsonString(out, view_.resource().version->desc->api_version);
    out.Append(',');
    AppendListMeta(out, reply_);
    out.Append(",\"items\":[");
  }

  const ObjectView& view_;
  ListReply reply_;
  ListCursor at_;
  bool begun_ = false;
  bool first_ = true;
};

// The message ListMeta: 2 resourceVersion, 3 continue, 4 remainingItemCount; 1 selfLink is written
// though it is always empty.
std::string ListMetaMessage(ListReply& reply) {
  std::string out;
  const auto text = [&out](uint32_t tag, std::string_view value) {
    uint8_t head[16];
    const uint8_t* end =
        WriteVarint(WriteVarint(head, WireKey(tag, WireType::kBytes)), value.size());
    out.append(reinterpret_cast<const char*>(head), static_cast<size_t>(end - head));
    out.append(value);
  };
  text(1, "");
  text(2, reply.revision().value == 0 ? "" : std::to_string(reply.revision().value));
  text(3, reply.page().continue_token);
  if (const auto& remaining = reply.page().remaining; remaining) {
    uint8_t head[16];
    const uint8_t* end = WriteVarint(WriteVarint(head, WireKey(4, WireType::kVarint)),
                                     static_cast<uint64_t>(*remaining));
    out.append(reinterpret_cast<const char*>(head), static_cast<size_t>(end - head));
  }
  return out;
}

// Protobuf tells the length of a message before it, so the list is walked twice: once for the sizes
// of the items, once for their bytes.
class ProtobufListEncoder final : public ListEncoder {
 public:
  ProtobufListEncoder(const Endpoint& endpoint, ListReply reply)
      : view_(*endpoint.view), reply_(std::move(reply)), at_(reply_.Entries()) {}

  Result<bool> Append(ByteBuffer& out, size_t until) override {
    if (!begun_) SKIFF_RETURN_IF_ERROR(Begin(out));
    while (out.size() < until) {
      const CacheEntry* entry = at_.Next();
      if (entry == nullptr) {
        // 3 contentEncoding and 4 contentType, both empty.
        out.Append(std::string_view("\x1a\0\x22\0", 4));
        return false;
      }
      ByteBuffer item(entry->value().size() + 64);
      SKIFF_RETURN_IF_ERROR(view_.AppendProtobuf(entry->value().view(), entry->revision(), item));
      AppendHead(out, kItemsKey, item.size());
      out.Append(item.view());
    }
    return true;
  }

 private:
  static constexpr uint32_t kMetadataKey = WireKey(1, WireType::kBytes);
  static constexpr uint32_t kItemsKey = WireKey(2, WireType::kBytes);
  static constexpr uint32_t kRawKey = WireKey(2, WireType::kBytes);

  static void AppendHead(ByteBuffer& out, uint32_t key, size_t size) {
    auto* to = reinterpret_cast<uint8_t*>(out.Reserve(16));
    out.CommitTo(reinterpret_cast<char*>(WriteVarint(WriteVarint(to, key), size)));
  }
  static size_t FieldSize(uint32_t key, size_t size) {
    return VarintSize(key) + VarintSize(size) + size;
  }

  Result<void> Begin(ByteBuffer& out) {
    begun_ = true;
    const std::string meta = ListMetaMessage(reply_);
    size_t size = FieldSize(kMetadataKey, meta.size());
    ListCursor walk = reply_.Entries();
    ByteBuffer item;
    while (const CacheEntry* entry = walk.Next()) {
      item.Clear();
      SKIFF_RETURN_IF_ERROR(view_.AppendProtobuf(entry->value().view(), entry->revision(), item));
      size += FieldSize(kItemsKey, item.size());
    }
    // The envelope of an empty message, cut before its `raw`.
    std::string envelope;
    AppendProtobufEnvelope({.api_version = view_.resource().version->desc->api_version,
                            .kind = ListKindOf(view_.resource())},
                           &envelope);
    out.Append(std::string_view(envelope).substr(0, envelope.size() - 6));
    AppendHead(out, kRawKey, size);
    AppendHead(out, kMetadataKey, meta.size());
    out.Append(meta);
    return {};
  }

  const ObjectView& view_;
  ListReply reply_;
  ListCursor at_;
  bool begun_ = false;
};

}  // namespace

Result<std::unique_ptr<ListEncoder>> MakeListEncoder(const ApiRequest& request,
                                                     const Endpoint& endpoint,
                                                     const OutputFormat& format, ListReply reply) {
  if (format.form != ObjectForm::kWhole) {
    return MakeFormListEncoder(request, endpoint, format, std::move(reply));
  }
  if (format.media == MediaKind::kProtobuf) {
    if (!endpoint.resource->kind->in_protobuf) {
      return Fail(StatusReason::kNotAcceptable, "objects of this kind have no protobuf form");
    }
    return std::make_unique<ProtobufListEncoder>(endpoint, std::move(reply));
  }
  return std::make_unique<JsonListEncoder>(endpoint, std::move(reply));
}

}  // namespace skiff
