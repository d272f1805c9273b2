// IP addresses and ranges of them as fields of the API hold them.
//
// Two kinds of fields: newer ones take only the canonical text; older ones once took anything that
// Go's parser took, leading zeros and IPv4 mapped into IPv6 included. What these hold is refused in
// new objects, but read wherever it is already stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "base/ip_address.h"

namespace skiff::apiserver {

// As older servers read it: octets and prefix lengths may have leading zeros.
std::optional<IpAddress> ReadIp(std::string_view text);
std::optional<IpRange> ReadCidr(std::string_view text);

// Of newer fields.
void CheckIp(std::string_view text, std::string_view field, FieldErrors& errors);
void CheckCidr(std::string_view text, std::string_view field, FieldErrors& errors);
// What is wrong with it, for the names of objects that are addresses.
object::NameProblems CheckIpName(std::string_view text);
// Of older fields. False when there was something to report.
bool CheckOldIp(std::string_view text, std::string_view field, FieldErrors& errors);
bool CheckOldCidr(std::string_view text, std::string_view field, FieldErrors& errors);

// Where no traffic of others may be sent: to the node itself, or to neighbours on its link.
void CheckEndpointIp(std::string_view text, std::string_view field, FieldErrors& errors);

// "10.9.8.7/24": an address with the range that it is in, in canonical form.
void CheckInterfaceAddress(std::string_view text, std::string_view field, FieldErrors& errors);

// For texts that older fields hold and that should be written differently.
void WarnAboutIp(std::string_view path, std::string_view text, std::vector<std::string>& warnings);
void WarnAboutCidr(std::string_view path, std::string_view text,
                   std::vector<std::string>& warnings);

}  // namespace skiff::apiserver
