// Events of a watch from the bytes of its body.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/client.h"
#include "client/https/api_response.h"
#include "client/https/watch_frames.h"

namespace skiff::client {

class WatchDecoder {
 public:
  // The resource must outlive it.
  WatchDecoder(const ApiResource& resource, bool metadata_only, ApiMedia media);

  // Appends the events that are complete now. An error is the end: what the server said of it, or
  // that what it sent cannot be read; the events before it are there.
  Result<void> Add(std::string_view bytes, std::vector<ClientEvent>& events);
  // Whether the body may end here.
  bool at_boundary() const { return frames_.at_boundary(); }

 private:
  Result<ClientEvent> Decode(std::string_view frame) const;

  const ApiResource& resource_;
  const bool metadata_only_;
  const ApiMedia media_;
  WatchFrames frames_;
};

// What ends a watch: the same error, where its code says that the state must be read again.
Status WatchFault(Status status);

}  // namespace skiff::client
