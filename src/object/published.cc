#include "object/published.h"

#include <algorithm>

namespace skiff::object {

const PublishedVersion* FindPublished(const GroupVersionDesc* desc) {
  const std::span<const PublishedVersion> versions = PublishedVersions();
  const auto at = std::lower_bound(versions.begin(), versions.end(), desc->path,
                                   [](const PublishedVersion& version, std::string_view path) {
                                     return version.desc->path < path;
                                   });
  return at == versions.end() || at->desc != desc ? nullptr : &*at;
}

}  // namespace skiff::object
