// The continue token of a list that is read in pages: where the next page starts, and the revision
// that all pages are read at.
//
//   base64url, without padding, of {"v":"meta.k8s.io/v1","rv":494,"start":"/default/a\u0000"}
//
// `start` is relative to what is listed (the resource, or a namespace of it) and begins with a
// slash; it is the last key of the page before with a zero byte behind it. `rv` is -1 in the token
// that comes with a 410: the rest of the list as it is by then. kube-apiserver writes and reads the
// same tokens, so a client may go from one server to the other between two pages.
//
// Tokens come from clients: whatever they hold, the start lies inside of what is listed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::store {

struct ContinueToken {
  static constexpr int64_t kNewest = -1;

  int64_t revision = 0;   // positive, or kNewest
  std::string start_key;  // without the slash at its front: "default/a\0"
};

std::string EncodeContinueToken(const ContinueToken& token);

// kBadRequest, "invalid continue token: …", for whatever is not one.
Result<ContinueToken> DecodeContinueToken(std::string_view text);

}  // namespace skiff::store
