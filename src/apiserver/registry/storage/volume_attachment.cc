#include "apiserver/registry/storage/volume_attachment.h"

#include "apiserver/registry/core/persistent_volume_spec.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace storage = views::storage_k8s_io_v1;

constexpr size_t kMaxMetadataBytes = 256 << 10;
constexpr size_t kMaxMessageBytes = 1024;

void ValidateSource(const storage::VolumeAttachmentSource& source, FieldErrors& errors) {
  constexpr std::string_view kOne =
      "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const std::optional<std::string_view> name = source.persistent_volume_name();
  if (!source.has_inline_volume_spec() && !name) return errors.Required("source", kOne);
  if (source.has_inline_volume_spec() && name) return errors.Forbidden("source", kOne);
  if (name) {
    if (name->empty()) {
      errors.Required("source.persistentVolumeName", "must specify non empty persistentVolumeName");
    }
    return;
  }
  const auto at = errors.At("source");
  const auto spec = errors.At("inlineVolumeSpec");
  ValidateVolumeSpec(source.inline_volume_spec(), {.is_inline = true}, errors);
}

void ValidateError(bool there, const storage::VolumeError& error, std::string_view field,
                   FieldErrors& errors) {
  if (!there) return;
  const auto at = errors.At(field);
  if (error.message().size() > kMaxMessageBytes) errors.TooLong("message", kMaxMetadataBytes);
  if (error.error_code().value_or(0) < 0) {
    errors.Invalid("errorCode", *error.error_code(), "must be between 0 and 2147483647, inclusive");
  }
}

void ValidateVolumeAttachment(const object::Document& object, FieldErrors& errors) {
  const storage::VolumeAttachment attachment(object);
  const storage::VolumeAttachmentSpec spec = attachment.spec();
  {
    const auto at = errors.At("spec");
    ValidateCsiDriverName(spec.attacher(), "attacher", errors);
    ValidateSource(spec.source(), errors);
    ValidateFormat(kDnsSubdomainFormat, spec.node_name(), "nodeName", errors);
  }
  {
    const storage::VolumeAttachmentStatus status = attachment.status();
    const auto at = errors.At("status");
    size_t bytes = 0;
    for (const auto& [key, value] : status.attachment_metadata())
      bytes += key.size() + value.size();
    if (bytes > kMaxMetadataBytes) errors.TooLong("attachmentMetadata", kMaxMetadataBytes);
    ValidateError(status.has_attach_error(), status.attach_error(), "attachError", errors);
    ValidateError(status.has_detach_error(), status.detach_error(), "detachError", errors);
  }
  if (const auto name = spec.source().persistent_volume_name()) {
    ValidateFormat(kDnsSubdomainFormat, *name, "spec.source.persistentVolumeName", errors);
  }
}

void ValidateVolumeAttachmentUpdate(const object::Document& object, const object::Document& old,
                                    FieldErrors& errors) {
  ValidateVolumeAttachment(object, errors);
  ValidateImmutable(old.root().Member(storage::VolumeAttachment::kSpec),
                    object.root().Member(storage::VolumeAttachment::kSpec), "spec", errors);
}

}  // namespace

constinit const KindRules kVolumeAttachmentRules = {.group = "storage.k8s.io",
                                                    .kind = "VolumeAttachment",
                                                    .create = ValidateVolumeAttachment,
                                                    .update = ValidateVolumeAttachmentUpdate,
                                                    .status = ValidateVolumeAttachmentUpdate};

}  // namespace skiff::apiserver
