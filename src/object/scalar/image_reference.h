// Names of container images: [DOMAIN/]PATH[:TAG][@DIGEST].
//
// The syntax is that of the distribution project, which Kubernetes reads images with:
//
//   domain = host[:port], told from a path by a dot, a colon, a capital or being localhost
//   path   = components separated by slashes: small letters and digits, with `.`, `_`, `__` or
//            dashes between them; up to 255 bytes
//   tag    = letters, digits and `_`, then up to 127 of these and `.` `-`
//   digest = sha256, sha384 or sha512, a colon, and hexadecimal digits in small letters
#pragma once

#include <optional>
#include <string_view>

namespace skiff::object {

struct ImageReference {
  std::string_view name;    // domain and path, as they are written
  std::string_view tag;     // empty if there is none
  std::string_view digest;  // empty if there is none
};

// Nothing if the text is no reference. Views are into the text.
std::optional<ImageReference> ParseImageReference(std::string_view text);

// The tag that an image is pulled by: `latest` if it has neither tag nor digest. Empty for a text
// that is no reference.
std::string_view ImageTag(std::string_view image);

}  // namespace skiff::object
