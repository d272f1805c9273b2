// Objects as control loops see them: their keys in queues, what the server's errors mean, times,
// finalizers, and the text of patches.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "client/object.h"
#include "object/json/json_text.h"
#include "object/scalar/time.h"
#include "object/value.h"

namespace skiff::controllers {

// "namespace/name", or "name" of what belongs to no namespace.
std::string KeyOf(const object::Document& object);
client::ObjectName NameOfKey(std::string_view key);

template <typename T>
bool FailedWith(const Result<T>& result, StatusReason reason) {
  return !result && result.error().reason() == reason;
}
// Nothing can be made in a namespace that is being deleted.
template <typename T>
bool FailedAsNamespaceEnds(const Result<T>& result) {
  if (result) return false;
  for (const StatusCause& cause : result.error().causes()) {
    if (cause.reason == "NamespaceTerminating") return true;
  }
  return false;
}

object::Timestamp WallTime(Clock& clock);
// Negative when it has passed. A hundred years at the most, so that it can be reckoned with.
Duration TimeUntil(object::Timestamp when, object::Timestamp now);

// A metadata map's entry; "" when there is none.
std::string_view LabelOf(const object::Document& object, std::string_view key);
std::string_view AnnotationOf(const object::Document& object, std::string_view key);

bool HasFinalizer(const object::Document& object, std::string_view finalizer);
// Copies to be written back.
client::ObjectPtr WithFinalizer(const object::Document& object, std::string_view finalizer);
client::ObjectPtr WithoutFinalizer(const object::Document& object, std::string_view finalizer);

}  // namespace skiff::controllers
