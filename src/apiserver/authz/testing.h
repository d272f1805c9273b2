// Users and objects of RBAC for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/value.h"
#include "serving/auth/user.h"

namespace skiff::testing {

inline serving::UserInfo User(std::string name, std::vector<std::string> groups = {}) {
  serving::UserInfo user;
  user.name = std::move(name);
  user.groups = std::move(groups);
  return user;
}

// An object of RBAC from JSON without its apiVersion.
inline object::Document Doc(std::string_view json) {
  constexpr std::string_view kApiVersion = "rbac.authorization.k8s.io/v1";
  const auto meta = object::PeekTypeMeta(json);
  EXPECT_TRUE(meta.has_value());
  auto document = object::DecodeJson(json, object::FindKind(kApiVersion, meta->kind));
  EXPECT_TRUE(document.has_value()) << json << ": " << document.error().ToString();
  document->root().Set(document->arena(), "apiVersion", object::Value::String(kApiVersion));
  return std::move(*document);
}

}  // namespace skiff::testing
