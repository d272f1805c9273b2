// gzip at its quickest level, which is what kube-apiserver uses: of bytes at hand, and of the body
// of an answer as it is made.
#pragma once

#include <memory>
#include <string_view>

#include "base/shared_bytes.h"
#include "net/http.h"

namespace skiff {

SharedBytes GzipBytes(std::string_view bytes);

// Compresses what `inner` gives. Whenever that waits, what it gave so far is sent on, so that
// events of a watch are not held back.
std::unique_ptr<BodySource> MakeGzipSource(std::unique_ptr<BodySource> inner);

}  // namespace skiff
