// What writing objects of some kinds does to them beyond the actions of the schema, where that
// needs nothing but the objects, the time and the settings of the server.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

struct KindStrategy {
  std::string_view group;
  std::string_view resource;
  void (*create)(const WriteContext& write, object::Document& object);  // may be null
  void (*update)(const WriteContext& write, const object::Document& old,
                 object::Document& object);  // may be null
};
// Of all kinds that have one.
std::span<const KindStrategy* const> KindStrategies();

class StrategyBehaviour final : public ResourceBehaviour {
 public:
  explicit StrategyBehaviour(const KindStrategy& strategy) : strategy_(strategy) {}

  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override {
    if (strategy_.create != nullptr) strategy_.create(write, object);
    return {};
  }
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override {
    if (strategy_.update != nullptr) strategy_.update(write, old, object);
    return {};
  }

 private:
  const KindStrategy& strategy_;
};

}  // namespace skiff::apiserver
