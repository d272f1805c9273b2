#include "apiserver/registry/core/projected_volumes.h"

#include <string>

#include "apiserver/registry/certificates/signer_name.h"
#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/volumes.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/json/json_text.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// One source, at its place in the list; `paths` are the files of all of them. That two sources have
// the same file is said of the volume.
class Projection {
 public:
  Projection(const PodOptions& options, FieldErrors& errors) : options_(options), errors_(errors) {}

  void Validate(const core::VolumeProjection& source, size_t index) {
    index_ = index;
    int count = 0;
    if (source.has_secret()) ++count, ValidateKeys(source.secret(), "secret");
    if (source.has_config_map()) ++count, ValidateKeys(source.config_map(), "configMap");
    if (source.has_downward_api()) ++count, ValidateFiles(source.downward_api());
    if (source.has_service_account_token()) {
      ++count;
      ValidateToken(source.service_account_token());
    }
    if (source.has_cluster_trust_bundle()) ++count, ValidateBundle(source.cluster_trust_bundle());
    if (source.has_pod_certificate()) ++count, ValidateCertificate(source.pod_certificate());
    if (count > 1) {
      const auto at = errors_.At("sources", index_);
      errors_.Forbidden("", "may not specify more than 1 volume type per source");
    }
  }

 private:
  void TakePath(std::string_view path, std::string_view shown) {
    if (!paths_.Add(path)) errors_.Invalid("", shown, "conflicting duplicate paths");
  }

  template <typename Source>
  void ValidateKeys(const Source& source, std::string_view field) {
    {
      const auto at = errors_.At("sources", index_);
      const auto place = errors_.At(field);
      ValidateRequired(source.name(), "name", errors_);
    }
    const auto items = source.items();
    for (size_t i = 0; i < items.size(); ++i) {
      {
        const auto at = errors_.At("sources", index_);
        const auto place = errors_.At(field);
        const auto item = errors_.At("items", i);
        ValidateKeyToPath(items[i], errors_);
      }
      if (!items[i].path().empty()) TakePath(items[i].path(), source.name());
    }
  }

  void ValidateFiles(const core::DownwardAPIProjection& source) {
    for (const core::DownwardAPIVolumeFile file : source.items()) {
      {
        const auto at = errors_.At("sources", index_);
        const auto place = errors_.At("downwardAPI");
        ValidateDownwardFile(file, errors_);
      }
      if (!file.path().empty()) TakePath(file.path(), file.path());
    }
  }

  void ValidateToken(const core::ServiceAccountTokenProjection& token) {
    constexpr int64_t kMinSeconds = 600;
    constexpr int64_t kMaxSeconds = int64_t{1} << 32;
    const int64_t seconds = token.expiration_seconds().value_or(0);
    if (seconds < kMinSeconds || seconds > kMaxSeconds) {
      const auto at = errors_.At("sources", index_);
      errors_.Invalid("serviceAccountToken.expirationSeconds", seconds,
                      seconds < kMinSeconds
                          ? "may not specify a duration less than 10 minutes"
                          : "may not specify a duration larger than 2^32 seconds");
    }
    if (token.path().empty()) {
      errors_.Required("path");
    } else if (!options_.allow_any_token_path) {
      ValidateUnreservedPath(token.path(), "path", errors_);
    }
  }

  void ValidateBundle(const core::ClusterTrustBundleProjection& bundle) {
    {
      const auto at = errors_.At("sources", index_);
      const auto place = errors_.At("clusterTrustBundle");
      if (bundle.name() && bundle.signer_name()) {
        errors_.Invalid("", bundle.AsValue(), "only one of name and signerName may be used");
      } else if (bundle.name()) {
        ValidateBundleName(*bundle.name());
        if (bundle.has_label_selector()) {
          errors_.Invalid("labelSelector", bundle.label_selector().AsValue(),
                          "labelSelector must be unset if name is specified");
        }
      } else if (bundle.signer_name()) {
        if (bundle.signer_name()->empty()) {
          errors_.Required("signerName", "must be a valid signer name");
        }
        ValidateSignerName(*bundle.signer_name(), "signerName", errors_);
        const auto selector = errors_.At("labelSelector");
        ValidateLabelSelector(bundle.label_selector(), {}, errors_);
      } else {
        errors_.Required("", "either name or signerName must be specified");
      }
      ValidateRequired(bundle.path(), "path", errors_);
      ValidateUnreservedPath(bundle.path(), "path", errors_);
    }
    TakePath(bundle.path(), bundle.path());
  }

  // A bundle of a signer has the signer in its name: example.com:signer:bundle.
  void ValidateBundleName(std::string_view name) {
    if (name.empty()) errors_.Required("name", "must be a valid object name");
    const size_t colon = name.rfind(':');
    const std::string_view own = colon == std::string_view::npos ? name : name.substr(colon + 1);
    for (const std::string& problem : object::CheckDns1123Subdomain(own)) {
      errors_.Invalid("name", name, "not a valid clustertrustbundlename: " + problem);
    }
  }

  void ValidateCertificate(const core::PodCertificateProjection& certificate) {
    {
      const auto at = errors_.At("sources", index_);
      const auto place = errors_.At("podCertificate");
      ValidateSignerName(certificate.signer_name(), "signerName", errors_);
      ValidateUserAnnotations(certificate.user_annotations());
      ValidateOneOf(certificate.key_type(),
                    {"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"},
                    "keyType", errors_);
      ValidateLifetime(certificate);
    }
    const bool any = ValidateCertificatePath(certificate.credential_bundle_path(),
                                             "podCertificate.credentialBundlePath") |
                     ValidateCertificatePath(certificate.key_path(), "podCertificate.keyPath") |
                     ValidateCertificatePath(certificate.certificate_chain_path(),
                                             "podCertificate.certificateChainPath");
    if (any) return;
    const auto at = errors_.At("sources", index_);
    errors_.Required("podCertificate",
                     "specify at least one of credentialBundlePath, keyPath, and "
                     "certificateChainPath");
  }

  void ValidateUserAnnotations(const object::MapView<std::string_view>& annotations) {
    constexpr std::string_view kField = "userAnnotations";
    size_t bytes = 0;
    for (const auto& [key, value] : annotations) {
      bytes += key.size() + value.size();
      const std::string lower = AsciiLower(key);
      if (!object::IsQualifiedName(lower)) {
        ValidateRequiredFormat(kQualifiedNameFormat, lower, kField, errors_);
      } else if (lower.find('/') == std::string::npos) {
        errors_.Invalid(kField, lower, "must be a domain-prefixed key (such as \"acme.io/foo\")");
      }
    }
    if (bytes > limits::kMaxAnnotationBytes) errors_.TooLong(kField, limits::kMaxAnnotationBytes);
  }

  void ValidateLifetime(const core::PodCertificateProjection& certificate) {
    constexpr int32_t kMin = 3600;
    constexpr int32_t kMax = 7862400;
    constexpr int32_t kMaxOfKubernetes = 86400;
    const std::optional<int32_t> seconds = certificate.max_expiration_seconds();
    if (!seconds) return;
    const std::string_view signer = certificate.signer_name();
    const std::string_view host = signer.substr(0, signer.find('/'));
    const bool is_own = host == "kubernetes.io" || host.ends_with(".kubernetes.io");
    const int32_t max = is_own ? kMaxOfKubernetes : kMax;
    if (*seconds < kMin) {
      errors_.Invalid("maxExpirationSeconds", *seconds,
                      "if provided, maxExpirationSeconds must be >= 3600");
    }
    if (*seconds > max) {
      errors_.Invalid("maxExpirationSeconds", *seconds,
                      "if provided, maxExpirationSeconds must be <= " + std::to_string(max));
    }
  }

  bool ValidateCertificatePath(std::string_view path, std::string_view field) {
    if (path.empty()) return false;
    {
      const auto at = errors_.At("sources", index_);
      ValidateUnreservedPath(path, field, errors_);
    }
    TakePath(path, path);
    return true;
  }

  const PodOptions& options_;
  FieldErrors& errors_;
  SeenNames paths_;
  size_t index_ = 0;
};

}  // namespace

void ValidateProjectedVolume(const core::ProjectedVolumeSource& source, const PodOptions& options,
                             FieldErrors& errors) {
  ValidateFileMode(source.default_mode(), "defaultMode", errors);
  Projection projection(options, errors);
  const auto sources = source.sources();
  for (size_t i = 0; i < sources.size(); ++i) projection.Validate(sources[i], i);
}

}  // namespace skiff::apiserver
