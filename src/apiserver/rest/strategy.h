// What the server does to an object on its way in, as the schema says (StorageDesc::actions):
// fields that a client may not set are cleared or kept as they are stored, and the generation
// counts the changes of what is wanted. Parts that the schema has in words are for
// ResourceBehaviour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/field_path.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

// Immutable once made; any thread may use it.
class Strategy {
 public:
  // Fails when an action of the schema cannot be read.
  static Result<Strategy> Make(const object::StorageDesc& storage);

  // On "create".
  void PrepareForCreate(object::Document& object) const;
  // On an update of the object itself (an empty subresource) or through a subresource. Both are of
  // the stored type.
  void PrepareForUpdate(std::string_view subresource, object::Document& old,
                        object::Document& object) const;

 private:
  struct Action {
    object::ActionDesc::Kind kind;
    std::vector<object::FieldPath> paths;
    std::string value_json;           // of kSet
    int64_t generation = 0;           // of kGeneration
    bool keeps_metadata = false;      // what a status update may not change of it
    bool keeps_all_metadata = false;  // all but the managed fields
  };
  struct Event {
    std::string name;
    std::vector<Action> actions;
  };

  static Result<Action> ReadAction(const object::ActionDesc& desc);
  const Event* Find(std::string_view event) const;
  static void Keep(const Action& action, object::Document& old, object::Document& object);
  static bool Changed(const Action& action, const object::Document& old,
                      const object::Document& object);

  std::vector<Event> events_;
};

}  // namespace skiff::apiserver
