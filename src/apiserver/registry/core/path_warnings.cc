#include "apiserver/registry/core/path_warnings.h"

#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Each path is compared with all others, so there is an end to it.
constexpr size_t kMaxComparedPaths = 1000;

class Paths {
 public:
  Paths(std::string_view volume, std::string description, Warner& warner)
      : volume_(volume), description_(std::move(description)), warner_(warner) {}

  void Add(std::string_view path, std::string source) {
    if (warner_.IsFull()) return;
    while (path.ends_with('/')) path.remove_suffix(1);
    for (const Entry& other : entries_) {
      if (!path.empty() && !other.path.empty() && Overlap(path, other.path)) {
        warner_.AddText("volume " + InQuotes(volume_) + " (" + description_ +
                        "): overlapping paths: " + Text({path, source}) + " with " + Text(other));
      }
    }
    if (entries_.size() < kMaxComparedPaths) entries_.push_back({path, std::move(source)});
  }

  template <typename Item>
  void AddAll(const object::ListView<Item>& items, const std::string& source) {
    for (const Item item : items) Add(item.path(), source);
  }

 private:
  struct Entry {
    std::string_view path;
    std::string source;
  };
  // One is the other, or a directory above it.
  static bool Overlap(std::string_view a, std::string_view b) {
    if (a.size() > b.size()) std::swap(a, b);
    return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
  }
  static std::string Text(const Entry& entry) {
    return InQuotes(entry.path) + (entry.source.empty() ? "" : " (" + entry.source + ")");
  }

  std::string_view volume_;
  std::string description_;
  Warner& warner_;
  std::vector<Entry> entries_;
};

void AddPathsOf(const core::VolumeProjection& source, Paths& paths) {
  if (!source.config_map().items().empty()) {
    paths.AddAll(source.config_map().items(), "ConfigMap " + InQuotes(source.config_map().name()));
  } else if (!source.secret().items().empty()) {
    paths.AddAll(source.secret().items(), "Secret " + InQuotes(source.secret().name()));
  } else if (!source.downward_api().items().empty()) {
    paths.AddAll(source.downward_api().items(), "DownwardAPI");
  } else if (source.has_service_account_token()) {
    paths.Add(source.service_account_token().path(), "ServiceAccountToken");
  } else if (source.has_cluster_trust_bundle()) {
    const core::ClusterTrustBundleProjection bundle = source.cluster_trust_bundle();
    paths.Add(bundle.path(), "ClusterTrustBundle " + InQuotes(bundle.name().value_or(
                                                         bundle.signer_name().value_or(""))));
  } else if (source.has_pod_certificate()) {
    const core::PodCertificateProjection certificate = source.pod_certificate();
    if (!certificate.certificate_chain_path().empty()) {
      paths.Add(certificate.certificate_chain_path(), "PodCertificate chain");
    }
    if (!certificate.key_path().empty()) paths.Add(certificate.key_path(), "PodCertificate key");
    if (!certificate.credential_bundle_path().empty()) {
      paths.Add(certificate.credential_bundle_path(), "PodCertificate credential bundle");
    }
  }
}

void WarnAboutProjected(const core::Volume& volume, Warner& warner) {
  Paths paths(volume.name(), "Projected", warner);
  for (const core::VolumeProjection source : volume.projected().sources()) {
    if (source.AsValue() == nullptr || source.AsValue()->size() == 0) {
      warner.AddText("volume " + InQuotes(volume.name()) + " (Projected) has no sources provided");
    } else {
      AddPathsOf(source, paths);
    }
  }
}

}  // namespace

void WarnAboutOverlappingPaths(const object::ListView<core::Volume>& volumes, Warner& warner) {
  for (const core::Volume volume : volumes) {
    if (volume.config_map().items().size() > 1) {
      Paths paths(volume.name(), "ConfigMap " + InQuotes(volume.config_map().name()), warner);
      paths.AddAll(volume.config_map().items(), "");
    }
    if (volume.secret().items().size() > 1) {
      Paths paths(volume.name(), "Secret " + InQuotes(volume.secret().secret_name()), warner);
      paths.AddAll(volume.secret().items(), "");
    }
    if (volume.downward_api().items().size() > 1) {
      Paths paths(volume.name(), "DownwardAPI", warner);
      paths.AddAll(volume.downward_api().items(), "");
    }
    if (volume.has_projected()) WarnAboutProjected(volume, warner);
  }
}

}  // namespace skiff::apiserver
