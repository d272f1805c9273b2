// Events that tell people what a component did to an object, or why it could not. Like ones become
// one that counts (the same cause: a count; much of the same kind in a short time: one event for
// all), and no object gets more than a trickle, so that a loop that fails does not flood the
// server.
//
// Telling never fails and never waits: what cannot be written after some attempts is dropped.
// Belongs to the client's executor.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/random.h"
#include "client/client.h"

namespace skiff::client {

enum class EventLevel : uint8_t { kNormal, kWarning };

class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `reason` in CamelCase, for machines; `message` for people.
  virtual void Record(const ApiResource& resource, const object::Document& about, EventLevel level,
                      std::string_view reason, std::string message) = 0;
};

// `component` is who tells: "kube-controller-manager", or a controller of it.
std::unique_ptr<EventRecorder> MakeEventRecorder(Client client, std::string component,
                                                 Random& random);

}  // namespace skiff::client
