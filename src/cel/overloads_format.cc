#include "cel/overloads_format.h"

#include <array>

#include "cel/functions.h"
#include "cel/values/named_formats.h"

namespace skiff::cel {
namespace {

Val FormatVal(Evaluation& e, const NamedFormat* format) {
  return e.MakeOpaque(types::kNamedFormat, OpaqueKind::kFormat, format);
}

constexpr std::array<std::string_view, 13> kNames{"dns1123Label",
                                                  "dns1123Subdomain",
                                                  "dns1035Label",
                                                  "qualifiedName",
                                                  "dns1123LabelPrefix",
                                                  "dns1123SubdomainPrefix",
                                                  "dns1035LabelPrefix",
                                                  "labelValue",
                                                  "uri",
                                                  "uuid",
                                                  "byte",
                                                  "date",
                                                  "datetime"};

template <size_t kName>
Val Get(Evaluation& e, Args) {
  return FormatVal(e, FindNamedFormat(kNames[kName]));
}

Val Named(Evaluation& e, Args args) {
  const NamedFormat* format = FindNamedFormat(args[0].AsText());
  if (format == nullptr) return Val::OptionalNone();
  return Val::OptionalOf(e.arena(), FormatVal(e, format));
}

Val Validate(Evaluation& e, Args args) {
  const std::vector<std::string> faults =
      OpaqueValue<const NamedFormat*>(args[0])->validate(args[1].AsText());
  if (faults.empty()) return Val::OptionalNone();
  ListBuilder list(e.arena(), faults.size());
  for (const std::string& fault : faults) list.Add(e.String(fault));
  return Val::OptionalOf(e.arena(), list.Done());
}

constexpr std::string_view kResult = "() -> kubernetes.NamedFormat";
constexpr std::array kRows = std::to_array<OverloadRow>({
    {"format.dns1123Label", "format.dns1123Label", kResult, Get<0>},
    {"format.dns1123Subdomain", "format.dns1123Subdomain", kResult, Get<1>},
    {"format.dns1035Label", "format.dns1035Label", kResult, Get<2>},
    {"format.qualifiedName", "format.qualifiedName", kResult, Get<3>},
    {"format.dns1123LabelPrefix", "format.dns1123LabelPrefix", kResult, Get<4>},
    {"format.dns1123SubdomainPrefix", "format.dns1123SubdomainPrefix", kResult, Get<5>},
    {"format.dns1035LabelPrefix", "format.dns1035LabelPrefix", kResult, Get<6>},
    {"format.labelValue", "format.labelValue", kResult, Get<7>},
    {"format.uri", "format.uri", kResult, Get<8>},
    {"format.uuid", "format.uuid", kResult, Get<9>},
    {"format.byte", "format.byte", kResult, Get<10>},
    {"format.date", "format.date", kResult, Get<11>},
    {"format.datetime", "format.datetime", kResult, Get<12>},
    {"format.named", "format-named", "(string) -> optional_type(kubernetes.NamedFormat)", Named},
    {"validate", "format-validate",
     "kubernetes.NamedFormat.(string) -> optional_type(list(string))", Validate},
});

}  // namespace

std::span<const OverloadRow> FormatFunctions() { return kRows; }

}  // namespace skiff::cel
