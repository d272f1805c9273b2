// Formats of strings that name things of the Internet, each as the parser that Kubernetes uses for
// it takes them.
#pragma once

#include <string_view>

namespace skiff::apiserver {

// As kube-openapi has hostnames: one label of letters, digits and symbols with a hyphen behind the
// first at most, or a domain name whose last label is letters only.
bool IsInternetHostname(std::string_view text);

// As Go's mail.ParseAddress: "a@example.com" or "Name <a@example.com>".
bool IsMailAddress(std::string_view text);

// As Go's url.ParseRequestURI: an absolute path, or a URI with a scheme.
bool IsRequestUri(std::string_view text);

// As Go's net.ParseMAC: 6, 8 or 20 bytes, between colons or hyphens, in pairs
// between dots, or one behind the other.
bool IsHardwareAddress(std::string_view text);

}  // namespace skiff::apiserver
