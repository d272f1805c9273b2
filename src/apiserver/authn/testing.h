// Objects in memory, for tests of tokens that are bound to some.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "apiserver/authn/bound_object.h"

namespace skiff::testing {

class FakeLookup final : public apiserver::BoundObjectLookup {
 public:
  void Find(apiserver::BoundKind kind, std::string name_space, std::string name,
            std::move_only_function<void(Result<apiserver::BoundObject>)> done) override {
    ++count;
    const auto found = objects.find({kind, name_space, name});
    if (found == objects.end()) {
      done(Fail(StatusReason::kNotFound,
                std::string(apiserver::BoundResource(kind)) + " \"" + name + "\" not found"));
    } else {
      done(found->second);
    }
  }
  apiserver::BoundObject& Add(apiserver::BoundKind kind, std::string name_space, std::string name,
                              std::string uid) {
    apiserver::BoundObject& object = objects[{kind, std::move(name_space), std::move(name)}];
    object.uid = std::move(uid);
    return object;
  }

  std::map<std::tuple<apiserver::BoundKind, std::string, std::string>, apiserver::BoundObject>
      objects;
  int count = 0;
};

}  // namespace skiff::testing
