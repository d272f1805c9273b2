// For the tests of this folder: writes one after another, and what managedFields then say.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/managed_fields/apply_configuration.h"
#include "apiserver/managed_fields/entries.h"
#include "apiserver/managed_fields/field_manager.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {

// An object of one kind, as a server would keep it.
class ManagedObject {
 public:
  ManagedObject(std::string_view api_version, std::string_view kind)
      : api_version_(api_version),
        type_(object::FindKind(api_version, kind)),
        object_(object::Document::OfType(type_)) {}

  // POST, PUT or what a patch made: the whole new object. managedFields stay unless it has some.
  void Update(std::string_view manager, std::string_view json, std::string_view subresource = "") {
    Result<object::Document> made = object::DecodeJson(json, type_);
    ASSERT_TRUE(made) << made.error().ToString();
    made->root().Set(made->arena(), "apiVersion", object::Value::String(api_version_));
    made->root().Set(made->arena(), "kind", object::Value::String(type_->name));
    TrackUpdate(Writer(manager, subresource), object_, *made);
    Store(std::move(*made));
  }

  // Empty, or the message of the error.
  std::string Apply(std::string_view manager, std::string_view json, bool force = false,
                    std::string_view subresource = "") {
    Result<object::Document> config = object::DecodeJson(json, nullptr);
    if (!config) return config.error().ToString();
    config->root().Set(config->arena(), "apiVersion", object::Value::String(api_version_));
    config->root().Set(config->arena(), "kind", object::Value::String(type_->name));
    Result<object::Document> made =
        ApplyConfiguration(KindDefaults(), Writer(manager, subresource), object_, *config, force);
    if (!made) return made.error().message();
    Store(std::move(*made));
    return {};
  }

  // "manager Update v1 {…}", a line for each entry, with the subresource and time if there are any.
  std::string Owners() const {
    std::string out;
    const object::Value* list = ManagedFieldsOf(object_);
    if (list == nullptr) return out;
    for (const object::Value& entry : list->items()) {
      for (const std::string_view name : {"manager", "operation", "apiVersion", "subresource"}) {
        if (const object::Value* found = entry.Find(name))
          out += std::string(found->AsText()) + " ";
      }
      if (const object::Value* time = entry.Find("time")) {
        out += "at " + std::to_string(time->AsTime().seconds) + " ";
      }
      out += std::string(entry.Find("fieldsV1")->AsText()) + "\n";
    }
    return out;
  }

  // The object as JSON, without its managedFields and its uid.
  std::string Json() const {
    object::Document copy = object_.Copy();
    EraseManagedFields(copy);
    if (object::Value* meta = copy.root().Find("metadata")) meta->Erase("uid");
    return object::EncodeJson(copy.root());
  }

  const object::Document& document() const { return object_; }
  void SetNow(int64_t seconds) { now_ = {seconds, 0}; }
  void SetStorage(const object::StorageDesc* storage) { storage_ = storage; }

 private:
  FieldWriter Writer(std::string_view manager, std::string_view subresource) const {
    return {manager, api_version_, subresource, storage_, now_};
  }
  void Store(object::Document made) {
    object_ = std::move(made);
    object::Value* meta = object_.root().Find("metadata");
    if (meta == nullptr) return;
    meta->Set(object_.arena(), "uid", object::Value::String("u"));
  }

  std::string api_version_;
  const object::MessageDesc* type_;
  object::Document object_;
  const object::StorageDesc* storage_ = nullptr;
  object::Timestamp now_ = {1, 0};
};

}  // namespace skiff::apiserver
