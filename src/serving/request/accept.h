// The Accept header of a request: which media types a client takes, and which of them it would
// rather have.
//
// Kubernetes' reading of the header is more forgiving than RFC 9110: what cannot be a media range
// is left out, a lone "*" is "*/*", values are not unquoted, a quality that is no number is 0, and
// a quality of 0 does not forbid. Clients depend on it, so it is ours too.
//
// Preference: a range goes before its neighbour if its quality is higher or if it is more specific,
// whatever the qualities; it moves forward while that holds. Hence
//   application/json;q=0.5, */*   gives */* first, and
//   */*, application/json;q=0.5   gives application/json first.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace skiff::serving {

// Text is part of the header that was parsed.
struct MediaRange {
  std::string_view type;     // "application", "*"
  std::string_view subtype;  // "json", "*"
  // As written and in that order, without q: {"as", "Table"}.
  std::vector<std::pair<std::string_view, std::string_view>> parameters;
  double q = 1;

  // Of several of that name the last counts. "" when there is none.
  std::string_view Parameter(std::string_view name) const;
  // Whether the range covers "application/json", parameters aside.
  bool Covers(std::string_view media_type) const;
};

// The ranges in order of preference, at most limits::kMaxAcceptRanges. Empty for an empty header,
// which means that anything will do.
std::vector<MediaRange> ParseAccept(std::string_view header);

}  // namespace skiff::serving
