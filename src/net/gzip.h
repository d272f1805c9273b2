// gzip: at its quickest level, which is what kube-apiserver uses, of bytes at hand and of the body
// of an answer as it is made; and back, of bytes at hand and of an answer as it comes in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/shared_bytes.h"
#include "base/status.h"
#include "net/http.h"

namespace skiff::net {

SharedBytes GzipBytes(std::string_view bytes);
// RequestEntityTooLarge if there is more in them than that, BadRequest if they are no gzip or end
// too soon.
Result<std::string> GunzipBytes(std::string_view bytes, size_t max_bytes);

// Compresses what `inner` gives. Whenever that waits, what it gave so far is sent on, so that
// events of a watch are not held back.
std::unique_ptr<BodySource> MakeGzipSource(std::unique_ptr<BodySource> inner);

// Inflates what comes in pieces. It never holds more than one piece of what it gives, however much
// that is in all: whoever takes the pieces says when it is too much.
class GzipReader {
 public:
  GzipReader();
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Calls `take` with at most limits::kInflateBytes at a time, until it returns false.
  Result<void> Add(std::string_view bytes, const std::function<bool(std::string_view)>& take);
  // Whether this is an end, or the beginning.
  bool at_end() const { return at_end_; }

 private:
  struct State;
  const std::unique_ptr<State> state_;
  bool at_end_ = true;
};

}  // namespace skiff::net
