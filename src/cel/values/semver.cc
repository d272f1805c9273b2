#include "cel/values/semver.h"

#include <algorithm>
#include <array>
#include <compare>

#include "base/strings.h"
#include "cel/values/go_quote.h"
#include "cel/values/numbers.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

bool IsNumber(std::string_view text) { return std::ranges::all_of(text, IsDigit); }

bool IsIdentifier(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

bool HasLeadingZero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

Result<uint64_t> Number(std::string_view text, std::string_view lower, std::string_view upper) {
  if (!IsNumber(text)) {
    return BadRequest("Invalid character(s) found in " + std::string(lower) + " number " +
                      GoQuote(text));
  }
  if (HasLeadingZero(text)) {
    return BadRequest(std::string(upper) + " number must not contain leading zeroes " +
                      GoQuote(text));
  }
  return GoParseUint(text);
}

Result<Semver::PreRelease> PreReleaseFrom(std::string_view text) {
  if (text.empty()) return BadRequest("Prerelease is empty");
  Semver::PreRelease out;
  if (IsNumber(text)) {
    if (HasLeadingZero(text)) {
      return BadRequest("Numeric PreRelease version must not contain leading zeroes " +
                        GoQuote(text));
    }
    SKIFF_ASSIGN_OR_RETURN(out.number, GoParseUint(text));
    out.is_number = true;
  } else if (IsIdentifier(text)) {
    out.text = text;
  } else {
    return BadRequest("Invalid character(s) found in prerelease " + GoQuote(text));
  }
  return out;
}

// "v1.02" as "1.2.0".
Result<std::string> Normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string out;
  const std::vector<std::string_view> parts = Split(text, ".", 3);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '.';
    std::string_view part = parts[i];
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !IsDigit(part[0])) out += '0';
    }
    out += part;
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string_view::npos) {
    return BadRequest("short version cannot contain PreRelease/Build meta data");
  }
  for (size_t i = parts.size(); i < 3; ++i) out += ".0";
  return out;
}

// Cuts what follows a mark off the text, as pieces between dots.
std::vector<std::string_view> CutPieces(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  if (at == text.npos) return {};
  const std::string_view pieces = text.substr(at + 1);
  text = text.substr(0, at);
  return Split(pieces, ".");
}

int Sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

std::strong_ordering ComparePreRelease(const Semver::PreRelease& a, const Semver::PreRelease& b) {
  if (a.is_number != b.is_number) {
    return a.is_number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a.is_number ? a.number <=> b.number : a.text <=> b.text;
}

}  // namespace

Result<Semver> SemverFromText(std::string_view text, bool normalize) {
  if (normalize) {
    SKIFF_ASSIGN_OR_RETURN(const std::string normalized, Normalized(text));
    return SemverFromText(normalized);
  }
  if (text.empty()) return BadRequest("Version string empty");
  const std::vector<std::string_view> parts = Split(text, ".", 3);
  if (parts.size() != 3) return BadRequest("No Major.Minor.Patch elements found");
  Semver out;
  SKIFF_ASSIGN_OR_RETURN(out.major, Number(parts[0], "major", "Major"));
  SKIFF_ASSIGN_OR_RETURN(out.minor, Number(parts[1], "minor", "Minor"));
  std::string_view patch = parts[2];
  const std::vector<std::string_view> build = CutPieces(patch, '+');
  const std::vector<std::string_view> pre_release = CutPieces(patch, '-');
  SKIFF_ASSIGN_OR_RETURN(out.patch, Number(patch, "patch", "Patch"));
  for (const std::string_view each : pre_release) {
    SKIFF_ASSIGN_OR_RETURN(Semver::PreRelease piece, PreReleaseFrom(each));
    out.pre_release.push_back(std::move(piece));
  }
  for (const std::string_view each : build) {
    if (each.empty()) return BadRequest("Build meta data is empty");
    if (!IsIdentifier(each)) {
      return BadRequest("Invalid character(s) found in build meta data " + GoQuote(each));
    }
    out.build.emplace_back(each);
  }
  return out;
}

std::string Text(const Semver& version) {
  std::string out = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                    std::to_string(version.patch);
  for (size_t i = 0; i < version.pre_release.size(); ++i) {
    const Semver::PreRelease& piece = version.pre_release[i];
    out += i == 0 ? '-' : '.';
    out += piece.is_number ? std::to_string(piece.number) : piece.text;
  }
  for (size_t i = 0; i < version.build.size(); ++i) {
    out += i == 0 ? '+' : '.';
    out += version.build[i];
  }
  return out;
}

int Compare(const Semver& a, const Semver& b) {
  const auto numbers = [](const Semver& v) { return std::array{v.major, v.minor, v.patch}; };
  if (const auto order = numbers(a) <=> numbers(b); order != 0) return Sign(order);
  // A version comes after its pre-releases.
  if (a.pre_release.empty() || b.pre_release.empty()) {
    return Sign(a.pre_release.empty() <=> b.pre_release.empty());
  }
  return Sign(std::lexicographical_compare_three_way(a.pre_release.begin(), a.pre_release.end(),
                                                     b.pre_release.begin(), b.pre_release.end(),
                                                     ComparePreRelease));
}

}  // namespace skiff::cel
