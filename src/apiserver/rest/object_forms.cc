#include "apiserver/rest/object_forms.h"

#include <utility>

#include "apiserver/rest/object_meta.h"
#include "apiserver/tables/partial_metadata.h"
#include "serving/request/respond.h"
#include "store/cache/event_encoding.h"

namespace skiff::apiserver {
namespace {

MetaVersion MetaVersionOf(const serving::OutputFormat& format) {
  return format.meta_version == "v1beta1" ? MetaVersion::kV1beta1 : MetaVersion::kV1;
}

MetadataEncoding MetadataEncodingOf(const serving::OutputFormat& format) {
  return format.media == serving::MediaKind::kProtobuf ? MetadataEncoding::kProtobuf
                                                       : MetadataEncoding::kJson;
}

Result<IncludeObject> IncludeObjectOf(const serving::ApiRequest& request) {
  const std::string_view given = request.query.Get("includeObject");
  if (given.empty() || given == "Metadata") return IncludeObject::kMetadata;
  if (given == "None") return IncludeObject::kNone;
  if (given == "Object") return IncludeObject::kObject;
  return BadRequest("invalid value for includeObject: \"" + std::string(given) +
                    "\": it is one of None, Metadata and Object");
}

Result<TableWriter> MakeTableWriter(const serving::ApiRequest& request, const Endpoint& endpoint,
                                    const serving::OutputFormat& format) {
  if (format.media == serving::MediaKind::kProtobuf) {
    return Fail(StatusReason::kNotAcceptable,
                "only the following media types are accepted: application/json, "
                "application/yaml");
  }
  SKIFF_ASSIGN_OR_RETURN(auto columns, endpoint.columns->Get());
  TableWriter::Options options;
  options.version = MetaVersionOf(format);
  SKIFF_ASSIGN_OR_RETURN(options.include, IncludeObjectOf(request));
  if (endpoint.view != nullptr) {
    options.write_object = [view = endpoint.view](const ObjectBytes& object, ByteBuffer& out) {
      return view->AppendJson(object.stored, object.revision, ObjectView::As::kObject, out,
                              object.pieces);
    };
  }
  return TableWriter(std::move(columns), std::move(options));
}

ListMetadata ListMetadataOf(store::ListReply& reply) {
  return {reply.revision(), reply.page().continue_token, reply.page().remaining};
}

class TableListWriter final : public ListWriter {
 public:
  TableListWriter(TableWriter writer, object::Timestamp now)
      : writer_(std::move(writer)), now_(now) {}

  void Begin(store::ListReply& reply, ByteBuffer& out) override {
    writer_.Begin(ListMetadataOf(reply), out);
  }
  Result<void> Item(const store::CacheEntry& entry, ByteBuffer& out) override {
    return writer_.Row({entry.kept().view(), entry.revision(), entry.pieces()}, now_, out);
  }
  void End(ByteBuffer& out) override { writer_.End(out); }

 private:
  TableWriter writer_;
  const object::Timestamp now_;
};

class MetadataListWriter final : public ListWriter {
 public:
  explicit MetadataListWriter(const serving::OutputFormat& format)
      : writer_(MetadataEncodingOf(format), MetaVersionOf(format)) {}

  bool measures() const override { return writer_.measures(); }
  Result<void> Measure(const store::CacheEntry& entry) override {
    return writer_.Measure({entry.kept().view(), entry.revision(), entry.pieces()});
  }
  void Begin(store::ListReply& reply, ByteBuffer& out) override {
    writer_.Begin(ListMetadataOf(reply), out);
  }
  Result<void> Item(const store::CacheEntry& entry, ByteBuffer& out) override {
    return writer_.Item({entry.kept().view(), entry.revision(), entry.pieces()}, out);
  }
  void End(ByteBuffer& out) override { writer_.End(out); }

 private:
  PartialMetadataListWriter writer_;
};

// What both kinds of watches do with their errors, and the frame around their objects.
class FormWatchEncoder : public WatchEncoder {
 public:
  FormWatchEncoder(const Endpoint& endpoint, const serving::OutputFormat& format)
      : endpoint_(endpoint),
        format_(format),
        encoding_(format.media == serving::MediaKind::kProtobuf ? store::WatchEncoding::kProtobuf
                                                                : store::WatchEncoding::kJson) {}

  Result<void> Append(const store::WatchItem& item, ByteBuffer& out) override {
    ByteBuffer object;
    if (const store::CacheEntry* entry = item.event->Object(item.type); entry != nullptr) {
      SKIFF_RETURN_IF_ERROR(
          AppendObject({entry->kept().view(), item.event->revision(), entry->pieces()}, object));
    } else {
      SKIFF_RETURN_IF_ERROR(AppendBookmark(*item.event, object));
    }
    out.Append(store::FrameOf(item.type, encoding_, object.view()).view());
    return {};
  }

  Result<void> AppendError(const Status& why, ByteBuffer& out) override {
    SKIFF_ASSIGN_OR_RETURN(const SharedBytes frame, store::WatchErrorFrame(why, encoding_));
    out.Append(frame.view());
    return {};
  }

 protected:
  virtual Result<void> AppendObject(const ObjectBytes& object, ByteBuffer& out) = 0;
  virtual Result<void> AppendBookmark(const store::CachedEvent& event, ByteBuffer& out) = 0;

  const Endpoint& endpoint_;
  const serving::OutputFormat format_;
  const store::WatchEncoding encoding_;
};

class TableWatchEncoder final : public FormWatchEncoder {
 public:
  TableWatchEncoder(const Endpoint& endpoint, const serving::OutputFormat& format,
                    TableWriter writer)
      : FormWatchEncoder(endpoint, format), writer_(std::move(writer)) {}

 private:
  Result<void> AppendObject(const ObjectBytes& object, ByteBuffer& out) override {
    return writer_.One(object, NowOf(endpoint_.context->clock), out);
  }
  Result<void> AppendBookmark(const store::CachedEvent& event, ByteBuffer& out) override {
    return writer_.Bookmark(*endpoint_.resource->kind, event.revision(), event.initial_end(),
                            NowOf(endpoint_.context->clock), out);
  }

  TableWriter writer_;
};

class MetadataWatchEncoder final : public FormWatchEncoder {
 public:
  using FormWatchEncoder::FormWatchEncoder;

 private:
  Result<void> AppendObject(const ObjectBytes& object, ByteBuffer& out) override {
    return AppendPartialMetadata(object, MetadataEncodingOf(format_), MetaVersionOf(format_), out);
  }
  Result<void> AppendBookmark(const store::CachedEvent& event, ByteBuffer& out) override {
    const std::string bytes = BookmarkBytes(*endpoint_.resource->kind, event.initial_end());
    return AppendObject({bytes, event.revision()}, out);
  }
};

}  // namespace

Result<SharedBytes> EncodeInForm(const serving::ApiRequest& request, const Endpoint& endpoint,
                                 const serving::OutputFormat& format, const ObjectBytes& object) {
  ByteBuffer out;
  if (format.form == serving::ObjectForm::kTable) {
    SKIFF_ASSIGN_OR_RETURN(TableWriter writer, MakeTableWriter(request, endpoint, format));
    SKIFF_RETURN_IF_ERROR(writer.One(object, NowOf(endpoint.context->clock), out));
    return serving::FinishJson(std::move(out), format);
  }
  SKIFF_RETURN_IF_ERROR(
      AppendPartialMetadata(object, MetadataEncodingOf(format), MetaVersionOf(format), out));
  if (format.media == serving::MediaKind::kProtobuf) return SharedBytes(out.view());
  return serving::FinishJson(std::move(out), format);
}

Result<std::unique_ptr<ListWriter>> MakeFormListWriter(const serving::ApiRequest& request,
                                                       const Endpoint& endpoint,
                                                       const serving::OutputFormat& format) {
  if (format.form == serving::ObjectForm::kMetadata)
    return std::make_unique<MetadataListWriter>(format);
  SKIFF_ASSIGN_OR_RETURN(TableWriter writer, MakeTableWriter(request, endpoint, format));
  return std::make_unique<TableListWriter>(std::move(writer), NowOf(endpoint.context->clock));
}

Result<std::unique_ptr<WatchEncoder>> MakeFormWatchEncoder(const serving::ApiRequest& request,
                                                           const Endpoint& endpoint,
                                                           const serving::OutputFormat& format) {
  if (format.form == serving::ObjectForm::kMetadata) {
    return std::make_unique<MetadataWatchEncoder>(endpoint, format);
  }
  SKIFF_ASSIGN_OR_RETURN(TableWriter writer, MakeTableWriter(request, endpoint, format));
  return std::make_unique<TableWatchEncoder>(endpoint, format, std::move(writer));
}

}  // namespace skiff::apiserver
