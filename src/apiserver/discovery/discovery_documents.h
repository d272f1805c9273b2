// The documents of discovery as compact JSON, from what is served here and by other servers.
//
//   APIVersions        /api          versions of the core group, and where the server is
//   APIGroupList       /apis         groups and their versions
//   APIGroup           /apis/G       one of them
//   APIResourceList    /api/v1, /apis/G/V   resources and, after each, its subresources
//   APIGroupDiscoveryList            all of it at once: for /api the core group, for /apis the rest
//
// Resources say group and version of their kind only where these differ from the list's own, as
// with scale. /api and /api/v1 are older than apiVersion and go without.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/discovery/merged_groups.h"
#include "apiserver/discovery/served_resources.h"
#include "base/buffer.h"

namespace skiff::apiserver {

void WriteApiVersions(const ServedResources& served, std::string_view server_address,
                      ByteBuffer& out);
// The core group is left out.
void WriteApiGroupList(std::span<const MergedGroup> groups, ByteBuffer& out);
void WriteApiGroup(const MergedGroup& group, ByteBuffer& out);
void WriteApiResourceList(const ServedVersion& version, ByteBuffer& out);

enum class DiscoveryPart : uint8_t { kCore, kGroups };
void WriteApiGroupDiscoveryList(std::span<const MergedGroup> groups, DiscoveryPart part,
                                ByteBuffer& out);

}  // namespace skiff::apiserver
