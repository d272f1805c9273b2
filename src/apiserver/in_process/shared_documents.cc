#include "apiserver/in_process/shared_documents.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/tables/object_bytes.h"
#include "apiserver/tables/partial_metadata.h"
#include "base/limits.h"
#include "object/protobuf/envelope.h"

namespace skiff {
namespace {

Result<Document> DecodeMetadata(std::string_view stored, Revision revision) {
  ByteBuffer out;
  SKIFF_RETURN_IF_ERROR(AppendPartialMetadata({stored, revision}, MetadataEncoding::kProtobuf,
                                              MetaVersion::kV1, out));
  ProtobufDecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  return DecodeStorage(out.view(), options);
}

Result<Document> Decode(const ObjectView* view, DocumentForm form, std::string_view stored,
                        Revision revision) {
  if (form == DocumentForm::kMetadata) return DecodeMetadata(stored, revision);
  return view != nullptr ? view->Decode(stored, revision) : DecodeStored(stored, revision);
}

}  // namespace

Result<ObjectPtr> SharedDocuments::Get(const ObjectView* view, DocumentForm form,
                                       const SharedBytes& bytes, Revision revision) {
  if (documents_.size() >= forget_at_) ForgetUnheld();
  std::weak_ptr<const Decoded>& place = documents_[Key{bytes.view().data(), revision, view, form}];
  if (auto held = place.lock()) return ObjectPtr(held, &held->object);
  SKIFF_ASSIGN_OR_RETURN(Document object, Decode(view, form, bytes.view(), revision));
  const auto made = std::make_shared<const Decoded>(Decoded{bytes, std::move(object)});
  place = made;
  return ObjectPtr(made, &made->object);
}

Result<ObjectPtr> SharedDocuments::Bookmark(const ObjectView& view, DocumentForm form,
                                            Revision revision, bool initial_end) {
  const std::string bytes = BookmarkBytes(*view.resource().kind, initial_end);
  SKIFF_ASSIGN_OR_RETURN(Document object, Decode(&view, form, bytes, revision));
  return std::make_shared<const Document>(std::move(object));
}

void SharedDocuments::ForgetUnheld() {
  std::erase_if(documents_, [](const auto& each) { return each.second.expired(); });
  forget_at_ = std::max<size_t>(64, documents_.size() * 2);
}

}  // namespace skiff
