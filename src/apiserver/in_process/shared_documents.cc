#include "apiserver/in_process/shared_documents.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/tables/object_bytes.h"
#include "apiserver/tables/partial_metadata.h"
#include "base/limits.h"
#include "object/protobuf/envelope.h"

namespace skiff::apiserver {
namespace {

Result<object::Document> DecodeMetadata(std::string_view stored, store::Revision revision) {
  ByteBuffer out;
  SKIFF_RETURN_IF_ERROR(AppendPartialMetadata({stored, revision}, MetadataEncoding::kProtobuf,
                                              MetaVersion::kV1, out));
  object::ProtobufDecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  return object::DecodeStorage(out.view(), options);
}

Result<object::Document> Decode(const ObjectView* view, DocumentForm form, std::string_view stored,
                                store::Revision revision) {
  if (form == DocumentForm::kMetadata) return DecodeMetadata(stored, revision);
  if (view == nullptr) return DecodeStored(stored, revision);
  Result<object::Document> object = view->Decode(stored, revision);
  // Clients may keep it longer than there is a definition of its kind.
  if (object) object->SetOpenType(nullptr);
  return object;
}

}  // namespace

template <typename Value>
Result<client::ObjectPtr> SharedDocuments::Get(const ObjectView* view, DocumentForm form,
                                               const SharedBytes& kept, store::Revision revision,
                                               Value value) {
  if (documents_.size() >= forget_at_) ForgetUnheld();
  std::weak_ptr<const Decoded>& place =
      documents_[Key{kept.view().data(), revision, view != nullptr ? view->id() : 0, form}];
  if (auto held = place.lock()) return client::ObjectPtr(held, &held->object);
  const SharedBytes bytes = value();
  SKIFF_ASSIGN_OR_RETURN(object::Document object, Decode(view, form, bytes.view(), revision));
  const auto made = std::make_shared<const Decoded>(Decoded{kept, std::move(object)});
  place = made;
  return client::ObjectPtr(made, &made->object);
}

Result<client::ObjectPtr> SharedDocuments::Get(const ObjectView* view, DocumentForm form,
                                               const SharedBytes& bytes, store::Revision revision) {
  return Get(view, form, bytes, revision, [&] { return bytes; });
}

Result<client::ObjectPtr> SharedDocuments::Get(const ObjectView* view, DocumentForm form,
                                               const store::CacheEntry& entry,
                                               store::Revision revision) {
  return Get(view, form, entry.kept(), revision, [&] { return entry.value(); });
}

Result<client::ObjectPtr> SharedDocuments::Bookmark(const ObjectView& view, DocumentForm form,
                                                    store::Revision revision, bool initial_end) {
  const std::string bytes = BookmarkBytes(*view.resource().kind, initial_end);
  SKIFF_ASSIGN_OR_RETURN(object::Document object, Decode(&view, form, bytes, revision));
  return std::make_shared<const object::Document>(std::move(object));
}

void SharedDocuments::ForgetUnheld() {
  std::erase_if(documents_, [](const auto& each) { return each.second.expired(); });
  forget_at_ = std::max<size_t>(64, documents_.size() * 2);
}

}  // namespace skiff::apiserver
