#include "apiserver/rest/list_encoder.h"

#include <string>
#include <utility>

#include "apiserver/rest/object_forms.h"
#include "base/limits.h"
#include "object/json/encode.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/wire.h"
#include "object/yaml/emit.h"

namespace skiff::apiserver {
namespace {

// What comes from no store has no revision. Lists of open kinds are untyped, as their items are,
// and show that nothing continues them.
void AppendListMeta(ByteBuffer& out, store::ListReply& reply, bool is_open) {
  if (reply.revision().value == 0) {
    out.Append("\"metadata\":{}");
    return;
  }
  out.Append("\"metadata\":{\"resourceVersion\":\"");
  object::AppendJsonInt(out, reply.revision().value);
  out.Append('"');
  const store::ListReply::Page& page = reply.page();
  if (!page.continue_token.empty() || is_open) {
    out.Append(",\"continue\":");
    object::AppendJsonString(out, page.continue_token);
  }
  if (page.remaining) {
    out.Append(",\"remainingItemCount\":");
    object::AppendJsonInt(out, *page.remaining);
  }
  out.Append('}');
}

std::string ListKindOf(const object::ResourceDesc& resource) {
  return resource.list_kind != nullptr ? std::string(resource.list_kind->name)
                                       : std::string(resource.kind_name) + "List";
}

class JsonListWriter final : public ListWriter {
 public:
  explicit JsonListWriter(const ObjectView& view) : view_(view) {}

  void Begin(store::ListReply& reply, ByteBuffer& out) override {
    out.Append("{\"kind\":");
    object::AppendJsonString(out, ListKindOf(view_.resource()));
    out.Append(",\"apiVersion\":");
    object::AppendJsonString(out, view_.resource().version->desc->api_version);
    out.Append(',');
    AppendListMeta(out, reply, view_.resource().kind->open != nullptr);
    out.Append(",\"items\":[");
  }
  Result<void> Item(const store::CacheEntry& entry, ByteBuffer& out) override {
    if (!std::exchange(first_, false)) out.Append(',');
    return view_.AppendJson(entry.kept().view(), entry.revision(), ObjectView::As::kItem, out,
                            entry.pieces());
  }
  void End(ByteBuffer& out) override { out.Append("]}"); }

 private:
  const ObjectView& view_;
  bool first_ = true;
};

// The message ListMeta: 2 resourceVersion, 3 continue, 4 remainingItemCount; 1 selfLink is written
// though it is always empty.
std::string ListMetaMessage(store::ListReply& reply) {
  std::string out;
  const auto text = [&out](uint32_t tag, std::string_view value) {
    uint8_t head[16];
    const uint8_t* end = object::WriteVarint(
        object::WriteVarint(head, object::WireKey(tag, object::WireType::kBytes)), value.size());
    out.append(reinterpret_cast<const char*>(head), static_cast<size_t>(end - head));
    out.append(value);
  };
  text(1, "");
  text(2, reply.revision().value == 0 ? "" : std::to_string(reply.revision().value));
  text(3, reply.page().continue_token);
  if (const auto& remaining = reply.page().remaining; remaining) {
    uint8_t head[16];
    const uint8_t* end = object::WriteVarint(
        object::WriteVarint(head, object::WireKey(4, object::WireType::kVarint)),
        static_cast<uint64_t>(*remaining));
    out.append(reinterpret_cast<const char*>(head), static_cast<size_t>(end - head));
  }
  return out;
}

// Protobuf tells the length of a message before it, so the list is walked twice: once for the sizes
// of the items, once for their bytes.
class ProtobufListWriter final : public ListWriter {
 public:
  explicit ProtobufListWriter(const ObjectView& view) : view_(view) {}

  bool measures() const override { return true; }
  Result<void> Measure(const store::CacheEntry& entry) override {
    SKIFF_ASSIGN_OR_RETURN(const ObjectMessage item,
                           view_.AsProtobuf(entry.kept().view(), entry.revision(), entry.pieces()));
    items_bytes_ += FieldSize(kItemsKey, item.size());
    return {};
  }
  void Begin(store::ListReply& reply, ByteBuffer& out) override {
    const std::string meta = ListMetaMessage(reply);
    // The envelope of an empty message, cut before its `raw`.
    std::string envelope;
    object::AppendProtobufEnvelope({.api_version = view_.resource().version->desc->api_version,
                                    .kind = ListKindOf(view_.resource())},
                                   &envelope);
    out.Append(std::string_view(envelope).substr(0, envelope.size() - 6));
    AppendHead(out, kRawKey, FieldSize(kMetadataKey, meta.size()) + items_bytes_);
    AppendHead(out, kMetadataKey, meta.size());
    out.Append(meta);
  }
  Result<void> Item(const store::CacheEntry& entry, ByteBuffer& out) override {
    SKIFF_ASSIGN_OR_RETURN(const ObjectMessage item,
                           view_.AsProtobuf(entry.kept().view(), entry.revision(), entry.pieces()));
    item.AppendAsField(kItemsKey, out);
    return {};
  }
  // 3 contentEncoding and 4 contentType, both empty.
  void End(ByteBuffer& out) override { out.Append(std::string_view("\x1a\0\x22\0", 4)); }

 private:
  static constexpr uint32_t kMetadataKey = object::WireKey(1, object::WireType::kBytes);
  static constexpr uint32_t kItemsKey = object::WireKey(2, object::WireType::kBytes);
  static constexpr uint32_t kRawKey = object::WireKey(2, object::WireType::kBytes);

  static void AppendHead(ByteBuffer& out, uint32_t key, size_t size) {
    auto* to = reinterpret_cast<uint8_t*>(out.Reserve(16));
    out.CommitTo(reinterpret_cast<char*>(object::WriteVarint(object::WriteVarint(to, key), size)));
  }
  static size_t FieldSize(uint32_t key, size_t size) {
    return object::VarintSize(key) + object::VarintSize(size) + size;
  }

  const ObjectView& view_;
  size_t items_bytes_ = 0;
};

class PrettyRewriter final : public JsonRewriter {
 public:
  Result<void> Append(std::string_view json, ByteBuffer& out) override {
    writer_.Append(out, json);
    return {};
  }
  Result<void> Finish(ByteBuffer&) override { return {}; }

 private:
  object::PrettyJsonWriter writer_{2};
};

class YamlRewriter final : public JsonRewriter {
 public:
  explicit YamlRewriter(serving::ObjectForm form)
      : writer_(form == serving::ObjectForm::kTable ? "rows" : "items") {}

  Result<void> Append(std::string_view json, ByteBuffer& out) override {
    return writer_.Append(out, json);
  }
  Result<void> Finish(ByteBuffer& out) override { return writer_.Finish(out); }

 private:
  object::YamlListWriter writer_;
};

constexpr size_t kLineBytes = 64;
constexpr size_t kTouchedBytes = 64 * 1024;

// The objects of a long list are in no cache of the processor's. Whoever walks their fields waits
// for each line of memory; so all are asked for at once, which takes hardly longer than one. Hints
// do not do: the processor drops most of so many. Where an object begins is asked for ahead of its
// turn, since that tells how long it is.
void PrefetchBegin(const store::CacheEntry& entry) {
  const char* const bytes = entry.kept().view().data();
  __builtin_prefetch(bytes);
  __builtin_prefetch(bytes + kLineBytes);
}

void Touch(const store::CacheEntry& entry) {
  const std::string_view bytes = entry.kept().view().substr(0, kTouchedBytes);
  const volatile char* const from = bytes.data();
  for (size_t i = 0; i < bytes.size(); i += kLineBytes) static_cast<void>(from[i]);
}

std::unique_ptr<JsonRewriter> MakeRewriter(const serving::OutputFormat& format) {
  if (format.media == serving::MediaKind::kYaml) return std::make_unique<YamlRewriter>(format.form);
  if (format.media == serving::MediaKind::kJson && format.pretty)
    return std::make_unique<PrettyRewriter>();
  return nullptr;
}

Result<std::unique_ptr<ListWriter>> MakeListWriter(const serving::ApiRequest& request,
                                                   const Endpoint& endpoint,
                                                   const serving::OutputFormat& format) {
  if (format.form != serving::ObjectForm::kWhole)
    return MakeFormListWriter(request, endpoint, format);
  if (format.media != serving::MediaKind::kProtobuf) {
    return std::make_unique<JsonListWriter>(*endpoint.view);
  }
  if (!endpoint.resource->kind->in_protobuf) {
    return Fail(StatusReason::kNotAcceptable, "objects of this kind have no protobuf form");
  }
  return std::make_unique<ProtobufListWriter>(*endpoint.view);
}

}  // namespace

ListEncoder::ListEncoder(std::unique_ptr<ListWriter> writer, const serving::OutputFormat& format,
                         store::ListReply reply)
    : writer_(std::move(writer)),
      rewriter_(MakeRewriter(format)),
      ends_line_(format.media == serving::MediaKind::kJson),
      reply_(std::move(reply)) {}

Result<bool> ListEncoder::Append(ByteBuffer& out, size_t until, const WorkBudget& budget) {
  while (stage_ != Stage::kEnd && out.size() < until) {
    SKIFF_RETURN_IF_ERROR(Step(out));
    if (budget.spent()) break;
  }
  written_ = ByteBuffer();  // it may be long until the client wants more
  return stage_ != Stage::kEnd;
}

Result<void> ListEncoder::Step(ByteBuffer& out) {
  if (rewriter_ == nullptr) return WriteStep(out);
  written_.Clear();
  SKIFF_RETURN_IF_ERROR(WriteStep(written_));
  SKIFF_RETURN_IF_ERROR(rewriter_->Append(written_.view(), out));
  return stage_ == Stage::kEnd ? rewriter_->Finish(out) : Result<void>();
}

const store::CacheEntry* ListEncoder::Next() {
  size_t looks = limits::kEntriesPerClockCheck;
  const store::CacheEntry* const entry = std::exchange(next_, at_->NextWithin(looks));
  if (next_ != nullptr) PrefetchBegin(*next_);
  if (entry != nullptr && stage_ == Stage::kItems) Touch(*entry);
  return entry;
}

Result<void> ListEncoder::WriteStep(ByteBuffer& out) {
  if (stage_ == Stage::kPage) {
    size_t looks = limits::kEntriesPerClockCheck;
    if (!reply_.SearchPage(looks)) return {};
    at_.emplace(reply_.Entries());
    stage_ = writer_->measures() ? Stage::kSizes : Stage::kItems;
    if (stage_ == Stage::kItems) writer_->Begin(reply_, out);
    return {};
  }
  if (const store::CacheEntry* entry = Next(); entry != nullptr) {
    return stage_ == Stage::kSizes ? writer_->Measure(*entry) : writer_->Item(*entry, out);
  }
  if (next_ != nullptr || !at_->done()) return {};
  if (stage_ == Stage::kSizes) {
    writer_->Begin(reply_, out);
    at_.emplace(reply_.Entries());
    stage_ = Stage::kItems;
    return {};
  }
  writer_->End(out);
  if (ends_line_) out.Append('\n');
  stage_ = Stage::kEnd;
  return {};
}

Result<std::unique_ptr<ListEncoder>> MakeListEncoder(const serving::ApiRequest& request,
                                                     const Endpoint& endpoint,
                                                     const serving::OutputFormat& format,
                                                     store::ListReply reply) {
  SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<ListWriter> writer,
                         MakeListWriter(request, endpoint, format));
  return std::make_unique<ListEncoder>(std::move(writer), format, std::move(reply));
}

}  // namespace skiff::apiserver
