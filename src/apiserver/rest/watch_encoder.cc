#include "apiserver/rest/watch_encoder.h"

#include <utility>

#include "apiserver/rest/object_forms.h"
#include "apiserver/rest/object_output.h"
#include "store/cache/event_encoding.h"

namespace skiff::apiserver {
namespace {

store::WatchEncoding EncodingOf(const serving::OutputFormat& format) {
  return format.media == serving::MediaKind::kProtobuf ? store::WatchEncoding::kProtobuf
                                                       : store::WatchEncoding::kJson;
}

// Whole objects in the version in which they are stored: every watcher sends the same bytes.
class SharedEncoder final : public WatchEncoder {
 public:
  SharedEncoder(const Endpoint& endpoint, const serving::OutputFormat& format)
      : encoding_(EncodingOf(format)),
        kind_{endpoint.resource->version->desc->api_version, endpoint.resource->kind_name} {}

  Result<void> Append(const store::WatchItem& item, ByteBuffer& out) override {
    SKIFF_ASSIGN_OR_RETURN(const SharedBytes frame, store::WatchFrame(item, encoding_, kind_));
    out.Append(frame.view());
    return {};
  }

  Result<void> AppendError(const Status& why, ByteBuffer& out) override {
    SKIFF_ASSIGN_OR_RETURN(const SharedBytes frame, store::WatchErrorFrame(why, encoding_));
    out.Append(frame.view());
    return {};
  }

 private:
  store::WatchEncoding encoding_;
  store::WatchedKind kind_;
};

// Whole objects in another version.
class ConvertingEncoder final : public WatchEncoder {
 public:
  ConvertingEncoder(const Endpoint& endpoint, const serving::OutputFormat& format)
      : shared_(endpoint, format), view_(*endpoint.view), format_(format) {}

  Result<void> Append(const store::WatchItem& item, ByteBuffer& out) override {
    const store::CacheEntry* entry = item.event->Object(item.type);
    if (entry == nullptr) return shared_.Append(item, out);
    serving::OutputFormat compact = format_;
    compact.pretty = false;
    SKIFF_ASSIGN_OR_RETURN(const SharedBytes object,
                           view_.Encode(entry->value().view(), item.event->revision(), compact));
    out.Append(store::FrameOf(item.type, EncodingOf(format_), object.view()).view());
    return {};
  }

  Result<void> AppendError(const Status& why, ByteBuffer& out) override {
    return shared_.AppendError(why, out);
  }

 private:
  SharedEncoder shared_;
  const ObjectView& view_;
  serving::OutputFormat format_;
};

}  // namespace

Result<std::unique_ptr<WatchEncoder>> MakeWatchEncoder(const serving::ApiRequest& request,
                                                       const Endpoint& endpoint,
                                                       const serving::OutputFormat& format) {
  if (format.form != serving::ObjectForm::kWhole) {
    return MakeFormWatchEncoder(request, endpoint, format);
  }
  if (format.media == serving::MediaKind::kProtobuf && !endpoint.resource->kind->in_protobuf) {
    return Fail(StatusReason::kNotAcceptable, "objects of this kind have no protobuf form");
  }
  if (endpoint.storage->desc().stored == endpoint.resource->kind ||
      endpoint.converter() != nullptr) {
    return std::make_unique<SharedEncoder>(endpoint, format);
  }
  return std::make_unique<ConvertingEncoder>(endpoint, format);
}

}  // namespace skiff::apiserver
