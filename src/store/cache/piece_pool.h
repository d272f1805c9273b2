// The field sets that objects of one resource have in common (object/protobuf/shared_fields.h),
// each held once.
//
// A text is worth holding when it comes again: the first object that has it keeps it, those after
// it share. Texts that one object alone has, such as that of a status with addresses in it, are
// seen once and leave nothing behind.
//
// Threads: one at a time. Pieces are counted, and go when the last object does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/shared_bytes.h"
#include "object/protobuf/shared_fields.h"
#include "store/cache/text_hash.h"

namespace skiff::store {

class PiecePool {
 public:
  struct Cut {
    SharedBytes bytes;                // the very same as were given, if there are no pieces
    std::vector<SharedBytes> pieces;  // that were cut out
  };
  Cut Take(const SharedBytes& stored);

  // Held at the moment, for tests.
  size_t size() const { return pieces_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return TextHash()(text); }
    size_t operator()(const SharedBytes& piece) const { return TextHash()(piece.view()); }
  };
  struct Equal {
    using is_transparent = void;
    static std::string_view TextOf(std::string_view text) { return text; }
    static std::string_view TextOf(const SharedBytes& piece) { return piece.view(); }
    bool operator()(const auto& a, const auto& b) const { return TextOf(a) == TextOf(b); }
  };

  std::optional<SharedBytes> Find(std::string_view text);
  // Whether the text was met lately; remembers it.
  bool SeenBefore(std::string_view text);
  void ForgetUnheld();

  std::unordered_set<SharedBytes, Hash, Equal> pieces_;
  std::vector<uint64_t> seen_;  // by hash: the hash and size of the last that fell there
  size_t forget_at_ = 64;       // pieces; doubles with what is held
};

}  // namespace skiff::store
