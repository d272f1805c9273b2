#include "object/scalar/image_reference.h"

#include <algorithm>

#include "base/strings.h"

namespace skiff::object {
namespace {

constexpr size_t kMaxPathBytes = 255;
constexpr size_t kMaxTagBytes = 128;
constexpr std::string_view kHub = "docker.io";
constexpr std::string_view kOfficial = "library/";

constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLowerOrDigit(char c) { return IsLower(c) || IsDigit(c); }
constexpr bool IsAlphanumeric(char c) { return IsLowerOrDigit(c) || IsUpper(c); }
constexpr bool IsLowerHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
constexpr bool IsTagChar(char c) { return IsAlphanumeric(c) || c == '_' || c == '.' || c == '-'; }

// Calls `is_part` with each part of the text, until it says no.
template <typename F>
bool AllParts(std::string_view text, char separator, F is_part) {
  for (;;) {
    const size_t end = text.find(separator);
    if (!is_part(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool IsSeparator(std::string_view text) {
  return text == "." || text == "_" || text == "__" ||
         text.find_first_not_of('-') == std::string_view::npos;
}

bool IsPathComponent(std::string_view text) {
  if (text.empty() || !IsLowerOrDigit(text.front()) || !IsLowerOrDigit(text.back())) return false;
  while (!text.empty()) {
    const auto word = std::ranges::find_if_not(text, IsLowerOrDigit);
    text.remove_prefix(static_cast<size_t>(word - text.begin()));
    const auto separator = std::ranges::find_if(text, IsLowerOrDigit);
    const auto size = static_cast<size_t>(separator - text.begin());
    if (size != 0 && !IsSeparator(text.substr(0, size))) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool IsPath(std::string_view text) { return AllParts(text, '/', IsPathComponent); }

bool IsHostLabel(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '-'; });
}

bool IsBracketedAddress(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
  return std::ranges::all_of(text.substr(1, text.size() - 2), [](char c) {
    return IsLowerHex(c) || (c >= 'A' && c <= 'F') || c == ':';
  });
}

bool IsHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !text.ends_with(']')) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, IsDigit)) return false;
    text = text.substr(0, colon);
  }
  return IsBracketedAddress(text) || AllParts(text, '.', IsHostLabel);
}

bool IsTag(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTagBytes && text.front() != '.' &&
         text.front() != '-' && std::ranges::all_of(text, IsTagChar);
}

bool IsDigest(std::string_view text) {
  size_t digits = 0;
  if (text.starts_with("sha256:")) digits = 64;
  if (text.starts_with("sha384:")) digits = 96;
  if (text.starts_with("sha512:")) digits = 128;
  if (digits == 0) return false;
  const std::string_view hex = text.substr(text.find(':') + 1);
  return hex.size() == digits && std::ranges::all_of(hex, IsLowerHex);
}

// A first part that can only be a registry, not a part of a path on the default one.
bool MustBeDomain(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos ||
         std::ranges::any_of(part, IsUpper);
}

// Domain and path. Images of the default registry that have one part only are official ones, and
// their full path is longer than what is written.
bool IsName(std::string_view name) {
  const size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  if (slash == std::string_view::npos) {
    return IsPath(name) && name.size() + kOfficial.size() <= kMaxPathBytes;
  }
  if (!MustBeDomain(first)) return IsPath(name) && name.size() <= kMaxPathBytes;
  const std::string_view path = name.substr(slash + 1);
  if (!IsPath(path)) return false;
  size_t path_bytes = path.size();
  if (!IsHostAndPort(first)) {
    if (!IsPathComponent(first)) return false;
    path_bytes = name.size();
  } else if (first == kHub && path.find('/') == std::string_view::npos) {
    path_bytes += kOfficial.size();
  }
  return path_bytes <= kMaxPathBytes;
}

}  // namespace

std::optional<ImageReference> ParseImageReference(std::string_view text) {
  // That would be the identity of an image on a node, which names none in a registry.
  if (text.size() == 64 && std::ranges::all_of(text, IsLowerHex)) return std::nullopt;
  ImageReference out{.name = text, .tag = {}, .digest = {}};
  if (const size_t at = text.find('@'); at != std::string_view::npos) {
    out.name = text.substr(0, at);
    out.digest = text.substr(at + 1);
    if (!IsDigest(out.digest)) return std::nullopt;
  }
  // A colon before a slash is that of a port.
  const size_t slash = out.name.rfind('/');
  const size_t colon = out.name.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) {
    out.tag = out.name.substr(colon + 1);
    out.name = out.name.substr(0, colon);
    if (!IsTag(out.tag)) return std::nullopt;
  }
  if (!IsName(out.name)) return std::nullopt;
  return out;
}

std::string_view ImageTag(std::string_view image) {
  const std::optional<ImageReference> reference = ParseImageReference(image);
  if (!reference) return {};
  return reference->tag.empty() && reference->digest.empty() ? "latest" : reference->tag;
}

}  // namespace skiff::object
