#include "cel/overloads_network.h"

#include <array>

#include "cel/functions.h"
#include "cel/values/ip.h"
#include "cel/values/url.h"

namespace skiff::cel {
namespace {

Val IpVal(Evaluation& e, const IpAddress& address) {
  return e.MakeOpaque(types::kIp, OpaqueKind::kIp, address);
}
const IpAddress& IpOf(const Val& value) { return OpaqueValue<IpAddress>(value); }
const Cidr& CidrOf(const Val& value) { return OpaqueValue<Cidr>(value); }
const Url& UrlOf(const Val& value) { return OpaqueValue<Url>(value); }

Val ToIp(Evaluation& e, Args args) {
  const Result<IpAddress> address = IpFromText(args[0].AsText());
  return address ? IpVal(e, *address) : ErrorOf(e, address);
}
Val IsIpText(Evaluation&, Args args) { return Val::Bool(IsIp(args[0].AsText())); }
Val IsCanonical(Evaluation& e, Args args) {
  const Result<bool> canonical = IsCanonicalIp(args[0].AsText());
  return canonical ? Val::Bool(*canonical) : ErrorOf(e, canonical);
}
Val Family(Evaluation&, Args args) { return Val::Int(IpFamily(IpOf(args[0]))); }
Val Unspecified(Evaluation&, Args args) { return Val::Bool(IpOf(args[0]).IsUnspecified()); }
Val Loopback(Evaluation&, Args args) { return Val::Bool(IpOf(args[0]).IsLoopback()); }
Val LinkLocalMulticast(Evaluation&, Args args) {
  return Val::Bool(IsLinkLocalMulticast(IpOf(args[0])));
}
Val LinkLocalUnicast(Evaluation&, Args args) {
  return Val::Bool(IsLinkLocalUnicast(IpOf(args[0])));
}
Val GlobalUnicast(Evaluation&, Args args) { return Val::Bool(IsGlobalUnicast(IpOf(args[0]))); }

Val ToCidr(Evaluation& e, Args args) {
  const Result<Cidr> cidr = CidrFromText(args[0].AsText());
  return cidr ? e.MakeOpaque(types::kCidr, OpaqueKind::kCidr, *cidr) : ErrorOf(e, cidr);
}
Val IsCidrText(Evaluation&, Args args) { return Val::Bool(IsCidr(args[0].AsText())); }
Val CidrIp(Evaluation& e, Args args) { return IpVal(e, CidrOf(args[0]).address); }
Val CidrMasked(Evaluation& e, Args args) {
  return e.MakeOpaque(types::kCidr, OpaqueKind::kCidr, Masked(CidrOf(args[0])));
}
Val PrefixLength(Evaluation&, Args args) { return Val::Int(CidrOf(args[0]).prefix_length); }
Val HasIp(Evaluation&, Args args) { return Val::Bool(ContainsIp(CidrOf(args[0]), IpOf(args[1]))); }
Val HasIpText(Evaluation&, Args args) {
  const Result<IpAddress> address = IpFromText(args[1].AsText());
  return address ? Val::Bool(ContainsIp(CidrOf(args[0]), *address)) : NoSuchOverload();
}
Val HasCidr(Evaluation&, Args args) {
  return Val::Bool(ContainsCidr(CidrOf(args[0]), CidrOf(args[1])));
}
Val HasCidrText(Evaluation& e, Args args) {
  const Result<Cidr> cidr = CidrFromText(args[1].AsText());
  return cidr ? Val::Bool(ContainsCidr(CidrOf(args[0]), *cidr)) : ErrorOf(e, cidr);
}

Val ToUrl(Evaluation& e, Args args) {
  Result<Url> url = Url::Parse(args[0].AsText());
  return url ? e.MakeOpaque(types::kUrl, OpaqueKind::kUrl, std::move(*url)) : ErrorOf(e, url);
}
Val IsUrlText(Evaluation&, Args args) { return Val::Bool(IsUrl(args[0].AsText())); }
Val Scheme(Evaluation& e, Args args) { return e.String(UrlOf(args[0]).scheme()); }
Val Host(Evaluation& e, Args args) { return e.String(UrlOf(args[0]).host()); }
Val Hostname(Evaluation& e, Args args) { return e.String(UrlOf(args[0]).Hostname()); }
Val Port(Evaluation& e, Args args) { return e.String(UrlOf(args[0]).Port()); }
Val EscapedPath(Evaluation& e, Args args) { return e.String(UrlOf(args[0]).EscapedPath()); }
Val Query(Evaluation& e, Args args) {
  MapBuilder map(e.arena());
  for (const auto& [name, values] : UrlOf(args[0]).Query()) {
    ListBuilder list(e.arena(), values.size());
    for (const std::string& value : values) list.Add(e.String(value));
    map.Set(e.String(name), list.Done());
  }
  return map.Done();
}

constexpr std::string_view kIpBool = "net.IP.() -> bool";
constexpr std::string_view kUrlText = "kubernetes.URL.() -> string";

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"ip", "string_to_ip", "(string) -> net.IP", ToIp},
    {"isIP", "is_ip", "(string) -> bool", IsIpText},
    {"ip.isCanonical", "ip_is_canonical", "(string) -> bool", IsCanonical},
    {"family", "ip_family", "net.IP.() -> int", Family},
    {"isUnspecified", "ip_is_unspecified", kIpBool, Unspecified},
    {"isLoopback", "ip_is_loopback", kIpBool, Loopback},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", kIpBool, LinkLocalMulticast},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", kIpBool, LinkLocalUnicast},
    {"isGlobalUnicast", "ip_is_global_unicast", kIpBool, GlobalUnicast},
    {"cidr", "string_to_cidr", "(string) -> net.CIDR", ToCidr},
    {"isCIDR", "is_cidr", "(string) -> bool", IsCidrText},
    {"ip", "cidr_ip", "net.CIDR.() -> net.IP", CidrIp},
    {"masked", "cidr_masked", "net.CIDR.() -> net.CIDR", CidrMasked},
    {"prefixLength", "cidr_prefix_length", "net.CIDR.() -> int", PrefixLength},
    {"containsIP", "cidr_contains_ip_string", "net.CIDR.(string) -> bool", HasIpText},
    {"containsIP", "cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool", HasIp},
    {"containsCIDR", "cidr_contains_cidr_string", "net.CIDR.(string) -> bool", HasCidrText},
    {"containsCIDR", "cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool", HasCidr},
    {"url", "string_to_url", "(string) -> kubernetes.URL", ToUrl},
    {"isURL", "is_url_string", "(string) -> bool", IsUrlText},
    {"getScheme", "url_get_scheme", kUrlText, Scheme},
    {"getHost", "url_get_host", kUrlText, Host},
    {"getHostname", "url_get_hostname", kUrlText, Hostname},
    {"getPort", "url_get_port", kUrlText, Port},
    {"getEscapedPath", "url_get_escaped_path", kUrlText, EscapedPath},
    {"getQuery", "url_get_query", "kubernetes.URL.() -> map(string, list(string))", Query},
});

}  // namespace

std::span<const OverloadRow> NetworkFunctions() { return kRows; }

}  // namespace skiff::cel
