// The rules that objects of one kind must follow, beyond those for metadata, which hold for all:
// one entry for each kind, kept by src/apiserver/registry/<group>/<kind>.cc.
//
// Validators are plain functions of the objects. They see the stored version, after defaults and
// after the strategy has prepared the object; they report all that is wrong and change nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

using ValidateNew = void (*)(const object::Document& object, FieldErrors& errors);
using ValidateChange = void (*)(const object::Document& object, const object::Document& old,
                                FieldErrors& errors);
// Texts of Warning headers, for objects that are valid and yet questionable. `old` is null when the
// object is new.
using WarnAbout = void (*)(const object::Document& object, const object::Document* old,
                           const KindSettings& settings, std::vector<std::string>& warnings);

struct SubresourceRules {
  std::string_view subresource;
  ValidateChange update;
};

struct KindRules {
  std::string_view group;
  std::string_view kind;
  ValidateNew create = nullptr;  // null: every object is valid
  // Of the object itself: its rules as a new object besides what may not change.
  ValidateChange update = nullptr;
  ValidateChange status = nullptr;
  std::span<const SubresourceRules> others = {};
  WarnAbout warn = nullptr;

  // Null when nothing is to be checked of this subresource; "" is the object itself.
  ValidateChange OfUpdate(std::string_view subresource) const {
    // A scale is another way to write the object itself.
    if (subresource.empty() || subresource == "scale") return update;
    if (subresource == "status") return status;
    for (const SubresourceRules& each : others) {
      if (each.subresource == subresource) return each.update;
    }
    return nullptr;
  }
};

}  // namespace skiff::apiserver
