#include "apiserver/registry/certificates/signer_name.h"

#include <algorithm>
#include <string>

#include "object/scalar/names.h"

namespace skiff {
namespace {

constexpr size_t kMaxSignerName =
    kMaxDnsSubdomainLength + 1 + kMaxDnsSubdomainLength + 1 + kMaxDnsLabelLength;

// The first part between dots that is wrong, with its problems.
void ValidateParts(std::string_view text, NameProblems (*check)(std::string_view),
                   std::string_view field, FieldErrors& errors) {
  for (std::string_view rest = text; true;) {
    const size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    const NameProblems problems = check(part);
    for (const std::string& problem : problems) {
      errors.Invalid(field, text, "validating label \"" + std::string(part) + "\": " + problem);
    }
    if (!problems.empty() || dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace

void ValidateSignerName(std::string_view name, std::string_view field, FieldErrors& errors) {
  if (name.empty()) return errors.Required(field);
  if (std::ranges::count(name, '/') != 1) {
    return errors.Invalid(
        field, name,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  const std::string_view domain = name.substr(0, name.find('/'));
  if (domain.size() > kMaxDnsSubdomainLength) errors.TooLong(field, kMaxDnsSubdomainLength);
  ValidateParts(domain, CheckDns1123Label, field, errors);
  if (domain.find('.') == std::string_view::npos) {
    errors.Invalid(field, domain,
                   "should be a domain with at least two segments separated by dots");
  }
  ValidateParts(name.substr(domain.size() + 1), CheckDns1123Subdomain, field, errors);
  if (name.size() > kMaxSignerName) errors.TooLong(field, kMaxSignerName);
}

bool IsKubernetesSigner(std::string_view name) {
  const std::string_view domain = name.substr(0, name.find('/'));
  return domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
}

}  // namespace skiff
