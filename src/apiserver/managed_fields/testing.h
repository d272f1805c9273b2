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

namespace skiff {

// An object of one kind, as a server would keep it.
class ManagedObject {
 public:
  ManagedObject(std::string_view api_version, std::string_view kind)
      : api_version_(api_version),
        type_(FindKind(api_version, kind)),
        object_(Document::OfType(type_)) {}

  // POST, PUT or what a patch made: the whole new object. managedFields stay unless it has some.
  void Update(std::string_view manager, std::string_view json, std::string_view subresource = "") {
    Result<Document> made = DecodeJson(json, type_);
    ASSERT_TRUE(made) << made.error().ToString();
    made->root().Set(made->arena(), "apiVersion", Value::String(api_version_));
    made->root().Set(made->arena(), "kind", Value::String(type_->name));
    TrackUpdate(Writer(manager, subresource), object_, *made);
    Store(std::move(*made));
  }

  // Empty, or the message of the error.
  std::string Apply(std::string_view manager, std::string_view json, bool force = false,
                    std::string_view subresource = "") {
    Result<Document> config = DecodeJson(json, nullptr);
    if (!config) return config.error().ToString();
    config->root().Set(config->arena(), "apiVersion", Value::String(api_version_));
    config->root().Set(config->arena(), "kind", Value::String(type_->name));
    Result<Document> made =
        ApplyConfiguration(KindDefaults(), Writer(manager, subresource), object_, *config, force);
    if (!made) return made.error().message();
    Store(std::move(*made));
    return {};
  }

  // "manager Update v1 {…}", a line for each entry, with the subresource and time if there are any.
  std::string Owners() const {
    std::string out;
    const Value* list = ManagedFieldsOf(object_);
    if (list == nullptr) return out;
    for (const Value& entry : list->items()) {
      for (const std::string_view name : {"manager", "operation", "apiVersion", "subresource"}) {
        if (const Value* found = entry.Find(name)) out += std::string(found->AsText()) + " ";
      }
      if (const Value* time = entry.Find("time")) {
        out += "at " + std::to_string(time->AsTime().seconds) + " ";
      }
      out += std::string(entry.Find("fieldsV1")->AsText()) + "\n";
    }
    return out;
  }

  // The object as JSON, without its managedFields and its uid.
  std::string Json() const {
    Document copy = object_.Copy();
    EraseManagedFields(copy);
    if (Value* meta = copy.root().Find("metadata")) meta->Erase("uid");
    return EncodeJson(copy.root());
  }

  const Document& document() const { return object_; }
  void SetNow(int64_t seconds) { now_ = {seconds, 0}; }
  void SetStorage(const StorageDesc* storage) { storage_ = storage; }

 private:
  FieldWriter Writer(std::string_view manager, std::string_view subresource) const {
    return {manager, api_version_, subresource, storage_, now_};
  }
  void Store(Document made) {
    object_ = std::move(made);
    Value* meta = object_.root().Find("metadata");
    if (meta == nullptr) return;
    meta->Set(object_.arena(), "uid", Value::String("u"));
  }

  std::string api_version_;
  const MessageDesc* type_;
  Document object_;
  const StorageDesc* storage_ = nullptr;
  Timestamp now_ = {1, 0};
};

}  // namespace skiff
