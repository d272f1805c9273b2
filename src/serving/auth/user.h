// Who makes a request, as authentication found out.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace skiff::serving {

struct UserInfo {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  // Sorted by key. "authentication.kubernetes.io/credential-id" and its like.
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  bool IsIn(const std::string& group) const {
    for (const std::string& each : groups) {
      if (each == group) return true;
    }
    return false;
  }
};

// Names that Kubernetes fixes.
inline constexpr char kAnonymousUser[] = "system:anonymous";
inline constexpr char kUnauthenticatedGroup[] = "system:unauthenticated";
inline constexpr char kAuthenticatedGroup[] = "system:authenticated";
inline constexpr char kMastersGroup[] = "system:masters";
inline constexpr char kServiceAccountsGroup[] = "system:serviceaccounts";

}  // namespace skiff::serving
