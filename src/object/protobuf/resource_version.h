// Sets metadata.resourceVersion in the bytes of an object without decoding them.
//
// Objects are stored without it, because it is the revision at which the store holds them; it is
// put in on their way out. Metadata is the first field of every stored kind, and only the few
// fields before resourceVersion are passed over, so the cost does not grow with the object. What
// comes behind them is trusted to be in the order of tags too, as Kubernetes and Skiff store it.
#pragma once

#include <optional>
#include <string_view>

#include "base/buffer.h"

namespace skiff::object {

// An object's message, cut where its resourceVersion stands or would stand.
struct ResourceVersionSplit {
  std::string_view before;  // the fields of metadata with smaller tags
  std::string_view after;   // the fields of metadata with larger tags
  std::string_view rest;    // the fields of the object after metadata
};

// Nothing if metadata does not come first, or its fields before resourceVersion are out of order.
std::optional<ResourceVersionSplit> SplitAtResourceVersion(std::string_view message);

// Appends the message, without an envelope, with this resourceVersion instead of its own. Bytes
// that cannot be split get a second piece of metadata at their end, which readers merge.
void AppendWithResourceVersion(std::string_view message, std::string_view resource_version,
                               ByteBuffer& out);
// How many bytes that appends.
size_t SizeWithResourceVersion(std::string_view message, std::string_view resource_version);

}  // namespace skiff::object
