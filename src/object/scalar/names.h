// The syntax of names, keys and label values.
//
// For each syntax there is Is…(), a scan for those who only need to know, and Check…(), which
// returns what is wrong with a text, one message per problem and none for a good text. Messages
// complete "Invalid value: …:". Short ones are Kubernetes' own, because people and programs look
// for them; those that explain a whole syntax end with its regular expression. Nothing here is
// matched with one: every check is one pass, whatever the length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::object {

inline constexpr size_t kMaxDnsLabelLength = 63;
inline constexpr size_t kMaxDnsSubdomainLength = 253;
inline constexpr size_t kMaxLabelLength = 63;  // a label's value, and its key after the prefix
inline constexpr size_t kMaxPortNameLength = 15;
inline constexpr size_t kMaxConfigMapKeyLength = 253;

using NameProblems = std::vector<std::string>;

// Lower case letters, digits and inner hyphens: "web-1".
bool IsDns1123Label(std::string_view text);
NameProblems CheckDns1123Label(std::string_view text);

// The same, but it starts with a letter.
bool IsDns1035Label(std::string_view text);
NameProblems CheckDns1035Label(std::string_view text);

// Labels joined with dots: "example.com". Each label may be as long as the whole.
bool IsDns1123Subdomain(std::string_view text);
NameProblems CheckDns1123Subdomain(std::string_view text);

// Upper case letters are fine too: CSI and device drivers.
bool IsDns1123SubdomainCaseless(std::string_view text);
NameProblems CheckDns1123SubdomainCaseless(std::string_view text);

// Labels may also begin with an underscore and hold inner ones: DNS searches of pods.
bool IsDns1123SubdomainWithUnderscore(std::string_view text);
NameProblems CheckDns1123SubdomainWithUnderscore(std::string_view text);

// "*." and a subdomain.
bool IsWildcardDns1123Subdomain(std::string_view text);
NameProblems CheckWildcardDns1123Subdomain(std::string_view text);

// Label keys, taint keys, resource and finalizer names: [prefix/]name, the prefix a subdomain.
bool IsQualifiedName(std::string_view text);
NameProblems CheckQualifiedName(std::string_view text);

bool IsLabelValue(std::string_view text);
NameProblems CheckLabelValue(std::string_view text);

// Annotation keys are qualified names once they are put in lower case.
bool IsAnnotationKey(std::string_view text);
NameProblems CheckAnnotationKey(std::string_view text);

// What can stand in a URL's path. A prefix is one to which more will be added.
bool IsPathSegmentName(std::string_view text);
NameProblems CheckPathSegmentName(std::string_view text);
NameProblems CheckPathSegmentPrefix(std::string_view text);

// IANA service names in lower case: "http", "dns-tcp".
bool IsPortName(std::string_view text);
NameProblems CheckPortName(std::string_view text);

bool IsHttpHeaderName(std::string_view text);
NameProblems CheckHttpHeaderName(std::string_view text);

bool IsEnvVarName(std::string_view text);
NameProblems CheckEnvVarName(std::string_view text);

// Any printable ASCII but "=".
bool IsRelaxedEnvVarName(std::string_view text);
NameProblems CheckRelaxedEnvVarName(std::string_view text);

// Keys of ConfigMaps and Secrets, which become file names.
bool IsConfigMapKey(std::string_view text);
NameProblems CheckConfigMapKey(std::string_view text);

bool IsCIdentifier(std::string_view text);
NameProblems CheckCIdentifier(std::string_view text);

// "10%".
bool IsPercent(std::string_view text);
NameProblems CheckPercent(std::string_view text);

// A subdomain, "/" and a path: controller names, signers.
bool IsDomainPrefixedPath(std::string_view text);
NameProblems CheckDomainPrefixedPath(std::string_view text);

}  // namespace skiff::object
