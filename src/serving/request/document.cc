#include "serving/request/document.h"

#include "base/hex.h"
#include "crypto/digest.h"

namespace skiff::serving {

std::string ContentHash(std::string_view bytes) {
  const crypto::Sha512Digest digest = crypto::Sha512(bytes);
  return HexOf({reinterpret_cast<const char*>(digest.data()), digest.size()}, HexCase::kUpper);
}

std::string QuotedTag(std::string_view hash) { return std::string("\"").append(hash).append("\""); }

bool TagMatches(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    const size_t end = if_none_match.find(',');
    std::string_view one = if_none_match.substr(0, end);
    if_none_match =
        end == std::string_view::npos ? std::string_view() : if_none_match.substr(end + 1);
    while (one.starts_with(' ') || one.starts_with('\t')) one.remove_prefix(1);
    while (one.ends_with(' ') || one.ends_with('\t')) one.remove_suffix(1);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

}  // namespace skiff::serving
