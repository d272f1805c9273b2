// The default among the classes of a kind, which an annotation marks: of several the newest, and of
// those of one second the first by name.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "object/value.h"

namespace skiff::apiserver {

class DefaultClassByAnnotation {
 public:
  // Considers a class. Whichever of the annotations says "true" makes it one of the defaults.
  void Consider(const object::Document& object,
                std::initializer_list<std::string_view> annotations);
  // Empty: there is none.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  object::Timestamp created_{};
};

}  // namespace skiff::apiserver
