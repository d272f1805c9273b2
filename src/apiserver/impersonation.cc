#include "apiserver/impersonation.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "serving/request/query.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kExtraPrefix = "impersonate-extra-";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kGroup = "authentication.k8s.io";

// "system:serviceaccount:NAMESPACE:NAME".
std::optional<std::pair<std::string, std::string>> AccountOf(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return std::nullopt;
  user.remove_prefix(kAccountPrefix.size());
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos || user.find(':', colon + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(std::string(user.substr(0, colon)), std::string(user.substr(colon + 1)));
}

void AddExtra(serving::UserInfo& user, std::string key, std::string value) {
  const auto place =
      std::ranges::lower_bound(user.extra, key, {}, [](const auto& e) { return e.first; });
  if (place != user.extra.end() && place->first == key) {
    place->second.push_back(std::move(value));
  } else {
    user.extra.insert(place, {std::move(key), {std::move(value)}});
  }
}

void Read(const net::HttpHeaders& headers, Impersonation& out) {
  for (const net::HttpHeaders::Field& field : headers.fields()) {
    if (field.name == "impersonate-user") {
      out.user.name = field.value;
    } else if (field.name == "impersonate-uid") {
      out.user.uid = field.value;
    } else if (field.name == "impersonate-group") {
      out.user.groups.push_back(field.value);
    } else if (field.name.starts_with(kExtraPrefix)) {
      const std::string_view key = std::string_view(field.name).substr(kExtraPrefix.size());
      AddExtra(out.user, AsciiLower(serving::PercentDecode(key, false).value_or(std::string(key))),
               field.value);
    }
  }
}

void AddRights(Impersonation& out) {
  if (const auto account = AccountOf(out.user.name); account) {
    out.rights.push_back({"", "serviceaccounts", "", account->first, account->second});
  } else {
    out.rights.push_back({"", "users", "", "", out.user.name});
  }
  for (const std::string& group : out.user.groups) {
    out.rights.push_back({"", "groups", "", "", group});
  }
  for (const auto& [key, values] : out.user.extra) {
    for (const std::string& value : values) {
      out.rights.push_back({std::string(kGroup), "userextras", key, "", value});
    }
  }
  if (!out.user.uid.empty()) {
    out.rights.push_back({std::string(kGroup), "uids", "", "", out.user.uid});
  }
}

// Groups that come with being somebody, unless groups are named.
void AddUsualGroups(serving::UserInfo& user) {
  if (const auto account = AccountOf(user.name); account && user.groups.empty()) {
    user.groups = {serving::kServiceAccountsGroup,
                   std::string(serving::kServiceAccountsGroup) + ":" + account->first};
  }
  if (user.name == serving::kAnonymousUser) {
    if (!user.IsIn(serving::kUnauthenticatedGroup))
      user.groups.emplace_back(serving::kUnauthenticatedGroup);
  } else if (!user.IsIn(serving::kAuthenticatedGroup) &&
             !user.IsIn(serving::kUnauthenticatedGroup)) {
    user.groups.emplace_back(serving::kAuthenticatedGroup);
  }
}

}  // namespace

Result<std::optional<Impersonation>> ReadImpersonation(const net::HttpHeaders& headers) {
  Impersonation out;
  Read(headers, out);
  if (out.user.name.empty()) {
    if (out.user.uid.empty() && out.user.groups.empty() && out.user.extra.empty()) {
      return std::nullopt;
    }
    return BadRequest("the request impersonates a uid, groups or extra fields, but no user name");
  }
  AddRights(out);
  AddUsualGroups(out.user);
  return out;
}

}  // namespace skiff::apiserver
