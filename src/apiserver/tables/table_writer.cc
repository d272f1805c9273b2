#include "apiserver/tables/table_writer.h"

#include <string>

#include "apiserver/tables/partial_metadata.h"

namespace skiff::apiserver {

void TableWriter::Begin(const ListMetadata& metadata, ByteBuffer& out) {
  out.Append("{\"kind\":\"Table\",\"apiVersion\":\"");
  out.Append(MetaApiVersion(options_.version));
  out.Append("\",\"metadata\":");
  AppendListMetadata(metadata, out);
  out.Append(",\"columnDefinitions\":");
  out.Append(defined_ ? "null" : columns_->definitions_json());
  out.Append(",\"rows\":");
  defined_ = true;
  empty_ = true;
}

Result<void> TableWriter::Row(const ObjectBytes& object, object::Timestamp now, ByteBuffer& out) {
  return AppendRow(object, options_.include, now, out);
}

void TableWriter::End(ByteBuffer& out) {
  if (!empty_) {
    out.Append("]}");
  } else {
    out.Append(columns_->null_when_empty() ? "null}" : "[]}");
  }
}

Result<void> TableWriter::One(const ObjectBytes& object, object::Timestamp now, ByteBuffer& out) {
  return AppendTable(object, options_.include, now, out);
}

Result<void> TableWriter::Bookmark(const object::MessageDesc& kind, store::Revision revision,
                                   bool initial_events_end, object::Timestamp now,
                                   ByteBuffer& out) {
  const std::string stored = BookmarkBytes(kind, initial_events_end);
  const bool needs_metadata = initial_events_end && options_.include == IncludeObject::kNone;
  return AppendTable({stored, revision},
                     needs_metadata ? IncludeObject::kMetadata : options_.include, now, out);
}

Result<void> TableWriter::AppendTable(const ObjectBytes& object, IncludeObject include,
                                      object::Timestamp now, ByteBuffer& out) {
  const size_t start = out.size();
  const bool was_defined = defined_;
  Begin({.revision = object.revision}, out);
  if (auto row = AppendRow(object, include, now, out); !row) {
    out.Truncate(start);
    defined_ = was_defined;
    return row;
  }
  End(out);
  return {};
}

Result<void> TableWriter::AppendRow(const ObjectBytes& object, IncludeObject include,
                                    object::Timestamp now, ByteBuffer& out) {
  const size_t start = out.size();
  out.Append(empty_ ? "[{" : ",{");
  Result<void> done = columns_->AppendCells(object.stored, now, scratch_, out);
  if (done) {
    out.Append(",\"object\":");
    switch (include) {
      case IncludeObject::kNone:
        out.Append("null");
        break;
      case IncludeObject::kMetadata:
        done = AppendPartialMetadataJson(object, options_.version, scratch_, out);
        break;
      case IncludeObject::kObject:
        done = options_.write_object(object, out);
        break;
    }
  }
  if (!done) {
    out.Truncate(start);
    return done;
  }
  out.Append('}');
  empty_ = false;
  return {};
}

}  // namespace skiff::apiserver
