#include "object/scalar/names.h"

#include <array>
#include <cstdint>

#include "base/strings.h"

namespace skiff::object {
namespace {

enum CharClass : uint16_t {
  kLower = 1,
  kUpper = 2,
  kDigit = 4,
  kHyphen = 8,
  kUnderscore = 16,
  kDot = 32,
  kPathMark = 64,  // what else a URL's path may hold
  kEnvMark = 128,  // printable ASCII but "="
  kLowerAlnum = kLower | kDigit,
  kAlnum = kLowerAlnum | kUpper,
  kNameInner = kAlnum | kHyphen | kUnderscore | kDot,
};

constexpr auto kClasses = [] {
  std::array<uint16_t, 256> classes{};
  const auto add = [&](unsigned first, unsigned last, unsigned bits) {
    for (unsigned c = first; c <= last; ++c) {
      classes[c] = static_cast<uint16_t>(classes[c] | bits);
    }
  };
  add('a', 'z', kLower);
  add('A', 'Z', kUpper);
  add('0', '9', kDigit);
  add('-', '-', kHyphen);
  add('_', '_', kUnderscore);
  add('.', '.', kDot);
  for (const char c : std::string_view("/-._~%!$&'()*+,;=:")) {
    add(static_cast<unsigned char>(c), static_cast<unsigned char>(c), kPathMark);
  }
  add(' ', '~', kEnvMark);
  classes['='] = static_cast<uint16_t>(classes['='] & ~kEnvMark);
  return classes;
}();

constexpr bool Is(char c, unsigned classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}

bool AllOf(std::string_view text, unsigned classes) {
  for (const char c : text) {
    if (!Is(c, classes)) return false;
  }
  return true;
}

bool NonEmptyOf(std::string_view text, unsigned classes) {
  return !text.empty() && AllOf(text, classes);
}

// Starts and ends with one of `ends`, and holds only `inner` between.
bool HasShape(std::string_view text, unsigned first, unsigned inner, unsigned last) {
  return !text.empty() && Is(text.front(), first) && Is(text.back(), last) && AllOf(text, inner);
}

bool HasLabelShape(std::string_view text) {
  return HasShape(text, kLowerAlnum, kLowerAlnum | kHyphen, kLowerAlnum);
}

bool HasCaselessLabelShape(std::string_view text) {
  return HasShape(text, kAlnum, kAlnum | kHyphen, kAlnum);
}

bool HasUnderscoreLabelShape(std::string_view text) {
  if (!text.empty() && text[0] == '_') text.remove_prefix(1);
  return HasShape(text, kLowerAlnum, kLowerAlnum | kHyphen | kUnderscore, kLowerAlnum);
}

bool HasQualifiedNameShape(std::string_view text) {
  return HasShape(text, kAlnum, kNameInner, kAlnum);
}

// Every piece between dots satisfies the predicate.
template <typename Predicate>
bool EachLabel(std::string_view text, Predicate has_shape) {
  while (true) {
    const size_t dot = text.find('.');
    if (!has_shape(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool HasSubdomainShape(std::string_view text) { return EachLabel(text, HasLabelShape); }

bool HasWildcardShape(std::string_view text) {
  return text.starts_with("*.") && HasSubdomainShape(text.substr(2));
}

// The regular expressions that messages name.
#define LABEL_REGEX "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define UNDERSCORE_LABEL_REGEX "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
#define QUALIFIED_NAME_REGEX "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define SUBDOMAIN_REGEX LABEL_REGEX "(\\." LABEL_REGEX ")*"
#define USED(regex) "regex used for validation is '" regex "')"
#define NAME_PART_TEXT                                                                     \
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with " \
  "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " USED(         \
      QUALIFIED_NAME_REGEX)

// Clients compare these texts, so they are those of Kubernetes to the letter.
constexpr char kBadLabel[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " USED(
        LABEL_REGEX);
constexpr char kBad1035Label[] =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
    "'abc-123', " USED("[a-z]([-a-z0-9]*[a-z0-9])?");
constexpr char kBadSubdomain[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', " USED(
        SUBDOMAIN_REGEX);
constexpr char kBadCaselessSubdomain[] =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'Example.com', " USED(SUBDOMAIN_REGEX);
constexpr char kBadUnderscoreSubdomain[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
    "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', " USED(
        UNDERSCORE_LABEL_REGEX "(\\." UNDERSCORE_LABEL_REGEX ")*");
constexpr char kBadWildcard[] =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
    "character (e.g. '*.example.com', " USED("\\*\\." SUBDOMAIN_REGEX);
constexpr char kBadNamePart[] = NAME_PART_TEXT;
constexpr char kBadLabelKey[] =
    "a valid label key " NAME_PART_TEXT
    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
constexpr char kBadLabelValue[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', " USED("(" QUALIFIED_NAME_REGEX ")?");
constexpr char kBadHeader[] =
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
    "'X-Header-Name', " USED("[-A-Za-z0-9]+");
constexpr char kBadEnvVar[] =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or "
    "'.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or "
    "'MyEnvName1', " USED("[-._a-zA-Z][-._a-zA-Z0-9]*");
constexpr char kBadRelaxedEnvVar[] =
    "a valid environment variable name must consist only of printable ASCII characters other than "
    "'='";
constexpr char kBadConfigMapKey[] =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', " USED("[-._a-zA-Z0-9]+");
constexpr char kBadCIdentifier[] =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of "
    "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', " USED(
        "[A-Za-z_][A-Za-z0-9_]*");
constexpr char kBadPercent[] =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
    "'93%', " USED("[0-9]+%");
constexpr char kBadPath[] = "Invalid path (" USED("[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");

#undef NAME_PART_TEXT
#undef LABEL_REGEX
#undef UNDERSCORE_LABEL_REGEX
#undef QUALIFIED_NAME_REGEX
#undef SUBDOMAIN_REGEX
#undef USED

std::string TooLong(size_t limit, const char* unit) {
  return "must be no more than " + std::to_string(limit) + " " + unit;
}

// The usual check: a longest length and a shape.
NameProblems Check(std::string_view text, size_t limit, bool has_shape, const char* bad_shape) {
  NameProblems problems;
  if (text.size() > limit) problems.push_back(TooLong(limit, "characters"));
  if (!has_shape) problems.emplace_back(bad_shape);
  return problems;
}

NameProblems CheckShape(bool has_shape, const char* bad_shape) {
  return has_shape ? NameProblems() : NameProblems{bad_shape};
}

// Names that would lead out of their directory as file names.
const char* DirectoryProblem(std::string_view text) {
  if (text == ".") return "must not be '.'";
  if (text == "..") return "must not be '..'";
  if (text.starts_with("..")) return "must not start with '..'";
  return nullptr;
}

bool HasEnvVarShape(std::string_view text) {
  return NonEmptyOf(text, kNameInner) && !IsDigit(text[0]);
}

bool HasCIdentifierShape(std::string_view text) {
  return NonEmptyOf(text, kAlnum | kUnderscore) && !IsDigit(text[0]);
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (Is(c, kUpper)) c = static_cast<char>(c + ('a' - 'A'));
  }
  return lower;
}

}  // namespace

bool IsDns1123Label(std::string_view text) {
  return text.size() <= kMaxDnsLabelLength && HasLabelShape(text);
}

NameProblems CheckDns1123Label(std::string_view text) {
  const bool ok = HasLabelShape(text);
  return Check(text, kMaxDnsLabelLength, ok,
               !ok && HasSubdomainShape(text) ? "must not contain dots" : kBadLabel);
}

bool IsDns1035Label(std::string_view text) { return IsDns1123Label(text) && Is(text[0], kLower); }

NameProblems CheckDns1035Label(std::string_view text) {
  return Check(text, kMaxDnsLabelLength, HasLabelShape(text) && Is(text[0], kLower), kBad1035Label);
}

bool IsDns1123Subdomain(std::string_view text) {
  return text.size() <= kMaxDnsSubdomainLength && HasSubdomainShape(text);
}

NameProblems CheckDns1123Subdomain(std::string_view text) {
  return Check(text, kMaxDnsSubdomainLength, HasSubdomainShape(text), kBadSubdomain);
}

bool IsDns1123SubdomainCaseless(std::string_view text) {
  return text.size() <= kMaxDnsSubdomainLength && EachLabel(text, HasCaselessLabelShape);
}

NameProblems CheckDns1123SubdomainCaseless(std::string_view text) {
  return Check(text, kMaxDnsSubdomainLength, EachLabel(text, HasCaselessLabelShape),
               kBadCaselessSubdomain);
}

bool IsDns1123SubdomainWithUnderscore(std::string_view text) {
  return text.size() <= kMaxDnsSubdomainLength && EachLabel(text, HasUnderscoreLabelShape);
}

NameProblems CheckDns1123SubdomainWithUnderscore(std::string_view text) {
  return Check(text, kMaxDnsSubdomainLength, EachLabel(text, HasUnderscoreLabelShape),
               kBadUnderscoreSubdomain);
}

bool IsWildcardDns1123Subdomain(std::string_view text) {
  return text.size() <= kMaxDnsSubdomainLength && HasWildcardShape(text);
}

NameProblems CheckWildcardDns1123Subdomain(std::string_view text) {
  return Check(text, kMaxDnsSubdomainLength, HasWildcardShape(text), kBadWildcard);
}

bool IsQualifiedName(std::string_view text) {
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    if (!IsDns1123Subdomain(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return text.size() <= kMaxLabelLength && HasQualifiedNameShape(text);
}

NameProblems CheckQualifiedName(std::string_view text) {
  NameProblems problems;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {kBadLabelKey};
    }
    const std::string_view prefix = text.substr(0, slash);
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kMaxDnsSubdomainLength) {
        problems.push_back("prefix part " + TooLong(kMaxDnsSubdomainLength, "bytes"));
      }
      if (!HasSubdomainShape(prefix)) {
        problems.push_back(std::string("prefix part ") + kBadSubdomain);
      }
    }
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabelLength) {
    problems.push_back("name part " + TooLong(kMaxLabelLength, "bytes"));
  }
  if (!HasQualifiedNameShape(name)) problems.push_back(std::string("name part ") + kBadNamePart);
  return problems;
}

bool IsLabelValue(std::string_view text) {
  return text.size() <= kMaxLabelLength && (text.empty() || HasQualifiedNameShape(text));
}

NameProblems CheckLabelValue(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxLabelLength) problems.push_back(TooLong(kMaxLabelLength, "bytes"));
  if (!text.empty() && !HasQualifiedNameShape(text)) problems.emplace_back(kBadLabelValue);
  return problems;
}

bool IsAnnotationKey(std::string_view text) {
  return IsQualifiedName(text) || IsQualifiedName(LowerCase(text));
}

NameProblems CheckAnnotationKey(std::string_view text) {
  return CheckQualifiedName(LowerCase(text));
}

bool IsPathSegmentName(std::string_view text) {
  return text != "." && text != ".." && text.find_first_of("/%") == std::string_view::npos;
}

NameProblems CheckPathSegmentName(std::string_view text) {
  if (text == ".") return {"may not be '.'"};
  if (text == "..") return {"may not be '..'"};
  return CheckPathSegmentPrefix(text);
}

NameProblems CheckPathSegmentPrefix(std::string_view text) {
  NameProblems problems;
  if (text.find('/') != std::string_view::npos) problems.emplace_back("may not contain '/'");
  if (text.find('%') != std::string_view::npos) problems.emplace_back("may not contain '%'");
  return problems;
}

bool IsPortName(std::string_view text) { return CheckPortName(text).empty(); }

NameProblems CheckPortName(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxPortNameLength) {
    problems.push_back(TooLong(kMaxPortNameLength, "characters"));
  }
  if (!NonEmptyOf(text, kLowerAlnum | kHyphen)) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  bool has_letter = false;
  for (const char c : text) has_letter = has_letter || Is(c, kLower);
  if (!has_letter) problems.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) {
    problems.emplace_back("must not contain consecutive hyphens");
  }
  if (text.starts_with('-') || text.ends_with('-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

bool IsHttpHeaderName(std::string_view text) { return NonEmptyOf(text, kAlnum | kHyphen); }

NameProblems CheckHttpHeaderName(std::string_view text) {
  return CheckShape(IsHttpHeaderName(text), kBadHeader);
}

bool IsEnvVarName(std::string_view text) {
  return HasEnvVarShape(text) && DirectoryProblem(text) == nullptr;
}

NameProblems CheckEnvVarName(std::string_view text) {
  NameProblems problems = CheckShape(HasEnvVarShape(text), kBadEnvVar);
  if (const char* problem = DirectoryProblem(text)) problems.emplace_back(problem);
  return problems;
}

bool IsRelaxedEnvVarName(std::string_view text) { return NonEmptyOf(text, kEnvMark); }

NameProblems CheckRelaxedEnvVarName(std::string_view text) {
  if (text.empty()) return {"environment variable name must be non-empty"};
  return CheckShape(AllOf(text, kEnvMark), kBadRelaxedEnvVar);
}

bool IsConfigMapKey(std::string_view text) {
  return text.size() <= kMaxConfigMapKeyLength && NonEmptyOf(text, kNameInner) &&
         DirectoryProblem(text) == nullptr;
}

NameProblems CheckConfigMapKey(std::string_view text) {
  NameProblems problems =
      Check(text, kMaxConfigMapKeyLength, NonEmptyOf(text, kNameInner), kBadConfigMapKey);
  if (const char* problem = DirectoryProblem(text)) problems.emplace_back(problem);
  return problems;
}

bool IsCIdentifier(std::string_view text) { return HasCIdentifierShape(text); }

NameProblems CheckCIdentifier(std::string_view text) {
  return CheckShape(HasCIdentifierShape(text), kBadCIdentifier);
}

bool IsPercent(std::string_view text) {
  return text.ends_with('%') && NonEmptyOf(text.substr(0, text.size() - 1), kDigit);
}

NameProblems CheckPercent(std::string_view text) {
  return CheckShape(IsPercent(text), kBadPercent);
}

bool IsDomainPrefixedPath(std::string_view text) { return CheckDomainPrefixedPath(text).empty(); }

NameProblems CheckDomainPrefixedPath(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    return {"must be a domain-prefixed path (such as \"acme.io/foo\")"};
  }
  NameProblems problems = CheckDns1123Subdomain(text.substr(0, slash));
  if (!AllOf(text.substr(slash + 1), kAlnum | kPathMark)) problems.emplace_back(kBadPath);
  return problems;
}

}  // namespace skiff::object
