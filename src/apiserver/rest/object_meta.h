// The metadata that every object has, read and written by the handlers, whatever the kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "object/value.h"

namespace skiff::apiserver {

// The metadata of a document; made if there is none.
class MetaOf {
 public:
  explicit MetaOf(object::Document& document);

  std::string_view Text(std::string_view name) const;
  std::string_view name() const { return Text("name"); }
  std::string_view name_space() const { return Text("namespace"); }
  std::string_view uid() const { return Text("uid"); }
  std::string_view resource_version() const { return Text("resourceVersion"); }
  int64_t generation() const;
  std::optional<int64_t> grace_period_seconds() const;
  bool deleting() const { return Find("deletionTimestamp") != nullptr; }
  std::optional<object::Timestamp> deletion_timestamp() const;
  size_t finalizer_count() const;
  bool HasFinalizer(std::string_view finalizer) const;

  // An empty text takes the member away.
  void SetText(std::string_view name, std::string_view text);
  void SetGeneration(int64_t generation);
  void SetGracePeriodSeconds(int64_t seconds);
  void SetDeletionTimestamp(object::Timestamp time);
  void AddFinalizer(std::string_view finalizer);
  void RemoveFinalizer(std::string_view finalizer);
  void Erase(std::string_view name) { meta_->Erase(name); }
  // Takes the member of `from` over as it is there, or takes it away.
  void Take(std::string_view name, const MetaOf& from);

  const object::Value* Find(std::string_view name) const { return meta_->Find(name); }
  object::Value& value() { return *meta_; }

 private:
  Arena* arena_;
  object::Value* meta_;
};

// Whole seconds, as API times are.
object::Timestamp NowOf(Clock& clock);

}  // namespace skiff::apiserver
