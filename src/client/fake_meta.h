// The metadata of objects with and without a type, as an API server writes it. For fake_objects.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/object.h"
#include "object/scalar/time.h"

namespace skiff::client {

class FakeMeta {
 public:
  explicit FakeMeta(object::Document& document) : document_(document) {}

  std::string_view Text(std::string_view name) const;
  void SetText(std::string_view name, std::string_view text);
  void SetInt(std::string_view name, int64_t number);
  std::optional<object::Timestamp> Time(std::string_view name) const;
  void SetTime(std::string_view name, object::Timestamp time);
  void SetTexts(std::string_view name, const std::vector<std::string>& texts);
  // As it is in another object of the same type, or absent there.
  void Take(std::string_view name, const object::Document& from);
  void Erase(std::string_view name);

  bool HasFinalizer(std::string_view finalizer) const;
  void AddFinalizer(std::string_view finalizer);
  void RemoveFinalizer(std::string_view finalizer);

 private:
  const object::Value* Find(std::string_view name) const;
  object::Value& Metadata();

  object::Document& document_;
};

// A number of the metadata; 0 when absent.
int64_t MetaInt(const object::Document& document, std::string_view name);
// A list of strings at a path of two members ("spec", "finalizers").
std::vector<std::string> TextsAt(const object::Document& document, std::string_view outer,
                                 std::string_view inner);

// The object in the version and with the type of this resource.
Result<std::shared_ptr<object::Document>> InFormOf(const ApiResource& resource,
                                                   const object::Document& object);
// Nothing but the metadata.
ObjectPtr PartialOf(const object::Document& object);

}  // namespace skiff::client
