#include "apiserver/admission/default_class.h"

namespace skiff::apiserver {

void DefaultClassByAnnotation::Consider(const object::Document& object,
                                        std::initializer_list<std::string_view> annotations) {
  bool is_default = false;
  for (const std::string_view annotation : annotations) {
    const object::Value* found = object.root().FindPath({"metadata", "annotations", annotation});
    is_default |= found != nullptr && found->is_string() && found->AsText() == "true";
  }
  const object::Value* name = object.root().FindPath({"metadata", "name"});
  if (!is_default || name == nullptr) return;
  const object::Value* time = object.root().FindPath({"metadata", "creationTimestamp"});
  const object::Timestamp created = time != nullptr ? time->AsTime() : object::kZeroTimestamp;
  const bool newer = created.seconds > created_.seconds;
  const bool first_of_second = created.seconds == created_.seconds && name->AsText() < name_;
  if (!name_.empty() && !newer && !first_of_second) return;
  name_ = name->AsText();
  created_ = created;
}

}  // namespace skiff::apiserver
