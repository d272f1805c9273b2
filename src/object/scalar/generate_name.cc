#include "object/scalar/generate_name.h"

namespace skiff::object {
namespace {

constexpr std::string_view kNameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

}  // namespace

std::string RandomNameSuffix(size_t length, Random& random) {
  std::string suffix(length, '\0');
  for (char& c : suffix) c = kNameAlphabet[random.Uniform(kNameAlphabet.size())];
  return suffix;
}

std::string GenerateName(std::string_view base, Random& random) {
  std::string name(base.substr(0, kMaxGeneratedBaseLength));
  name += RandomNameSuffix(kGeneratedSuffixLength, random);
  return name;
}

}  // namespace skiff::object
