#include "apiserver/registry/certificates/signer_name.h"

#include <string>

#include "apiserver/validation/common.h"
#include "base/strings.h"
#include "object/json/json_text.h"

namespace skiff::apiserver {

void ValidateSignerName(std::string_view name, std::string_view field, FieldErrors& errors) {
  constexpr size_t kMaxBytes = 571;
  if (name.empty()) return errors.Required(field);
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find('/', slash + 1) != std::string_view::npos) {
    return errors.Invalid(
        field, name,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  const std::string_view domain = name.substr(0, slash);
  const std::string_view path = name.substr(slash + 1);
  if (domain.size() > object::kMaxDnsSubdomainLength)
    errors.TooLong(field, object::kMaxDnsSubdomainLength);
  // The first bad part of each speaks for all.
  const auto validate_parts = [&](std::string_view text, const NameFormat& format) {
    std::string_view rest = text;
    while (true) {
      const size_t dot = rest.find('.');
      const std::string_view part = rest.substr(0, dot);
      if (!format.is(part)) {
        for (const std::string& problem : format.check(part)) {
          errors.Invalid(field, text,
                         "validating label " + object::JsonText(part) + ": " + problem);
        }
        return;
      }
      if (dot == std::string_view::npos) return;
      rest.remove_prefix(dot + 1);
    }
  };
  validate_parts(domain, kDnsLabelFormat);
  if (domain.find('.') == std::string_view::npos) {
    errors.Invalid(field, domain,
                   "should be a domain with at least two segments separated by dots");
  }
  validate_parts(path, kDnsSubdomainFormat);
  if (name.size() > kMaxBytes) errors.TooLong(field, kMaxBytes);
}

}  // namespace skiff::apiserver
