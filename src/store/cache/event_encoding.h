// Events as a watch sends them.
//
//   JSON      one object per line: {"type":"ADDED","object":{…}}
//   protobuf  four bytes of length, most significant first, and a message meta.v1.WatchEvent
//             {1 type, 2 object {1 raw}} whose raw is the object in its own `k8s\0` envelope
//
// Objects are at rest without their resourceVersion, so it is put in here: the revision of the
// event. A bookmark is an object of the watched kind with nothing but a resourceVersion and, at the
// end of the initial events, the annotation that says so. An error is a Status.
//
// A frame is made once per event, type and form, and shared by all who send it. These are the
// objects as they are stored; whoever serves another version of them makes frames of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/shared_bytes.h"
#include "base/status.h"
#include "store/cache/cached_event.h"
#include "store/cache/watcher.h"

namespace skiff::store {

enum class WatchEncoding : uint8_t { kJson, kProtobuf };

// What the watched objects are; for bookmarks.
struct WatchedKind {
  std::string_view api_version;
  std::string_view kind;
};

inline constexpr std::string_view kInitialEventsEndAnnotation = "k8s.io/initial-events-end";

// "ADDED", as on the wire.
std::string_view EventTypeName(EventType type);

// kInternalError when the stored bytes cannot be read, kNotAcceptable when the kind has no protobuf
// form.
Result<SharedBytes> WatchFrame(const WatchItem& item, WatchEncoding encoding, WatchedKind kind);

// The frame of an object that the caller has encoded, JSON text or protobuf in its envelope: for
// tables, partial metadata and other versions.
SharedBytes FrameOf(EventType type, WatchEncoding encoding, std::string_view object);

// The last frame of a watch that ends with an error.
Result<SharedBytes> WatchErrorFrame(const Status& why, WatchEncoding encoding);

}  // namespace skiff::store
