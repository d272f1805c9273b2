// Objects in memory, for tests of tokens that are bound to some.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "apiserver/authn/bound_object.h"

namespace skiff::testing {

class FakeLookup final : public BoundObjectLookup {
 public:
  void Find(BoundKind kind, std::string name_space, std::string name,
            std::move_only_function<void(Result<BoundObject>)> done) override {
    ++count;
    const auto found = objects.find({kind, name_space, name});
    if (found == objects.end()) {
      done(Fail(StatusReason::kNotFound,
                std::string(BoundResource(kind)) + " \"" + name + "\" not found"));
    } else {
      done(found->second);
    }
  }
  BoundObject& Add(BoundKind kind, std::string name_space, std::string name, std::string uid) {
    BoundObject& object = objects[{kind, std::move(name_space), std::move(name)}];
    object.uid = std::move(uid);
    return object;
  }

  std::map<std::tuple<BoundKind, std::string, std::string>, BoundObject> objects;
  int count = 0;
};

}  // namespace skiff::testing
