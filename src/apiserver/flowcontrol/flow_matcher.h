// Priority and fairness, the first half: which FlowSchema a request belongs to, and so which
// priority level. Queueing will use the same answer.
//
// Schemas are tried by precedence, the lowest number first, then by name. A schema fits when one of
// its rules has a subject that fits the user, and a resource rule or a non-resource rule that fits
// the request. Schemas whose priority level is missing do not count.
//
// Immutable; any thread may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/value.h"
#include "serving/auth/user.h"
#include "serving/request/request_info.h"

namespace skiff::apiserver {

struct FlowClass {
  std::string schema;  // names
  std::string level;
  std::string schema_uid;
  std::string level_uid;
};

class FlowMatcher {
 public:
  // FlowSchemas and PriorityLevelConfigurations of v1, at most limits::kMaxFlowSchemas of them.
  FlowMatcher(std::span<const object::Document> schemas, std::span<const object::Document> levels);
  ~FlowMatcher();

  // Null only when not even the schema catch-all is there.
  const FlowClass* Match(const serving::UserInfo& user, const serving::RequestInfo& info) const;
  // Whether the two that every cluster has are there: exempt and catch-all.
  bool complete() const { return exempt_ && catch_all_ != nullptr; }

 private:
  struct Rule;
  struct Schema;

  std::vector<Schema> schemas_;  // in the order in which they are tried
  const FlowClass* catch_all_ = nullptr;
  bool exempt_ = false;
};

}  // namespace skiff::apiserver
