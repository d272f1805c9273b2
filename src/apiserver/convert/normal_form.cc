#include "apiserver/convert/normal_form.h"

#include <atomic>
#include <cassert>

namespace skiff::apiserver {
namespace {

std::atomic<FindNormalForm> g_find_form{nullptr};

}  // namespace

void SetNormalForms(FindNormalForm find) { g_find_form.store(find, std::memory_order_release); }

const NormalForm* NormalFormOf(const object::MessageDesc* type) {
  const FindNormalForm find = g_find_form.load(std::memory_order_acquire);
  assert(find != nullptr && "SetNormalForms() comes first");
  return find(type);
}

object::Value* FindNested(object::Value& object, std::initializer_list<std::string_view> names) {
  object::Value* at = &object;
  for (const std::string_view name : names) {
    if (at != nullptr) at = at->Find(name);
  }
  return at;
}

object::Value* AnnotationsOf(object::Value& object) {
  return FindNested(object, {"metadata", "annotations"});
}

void DropAnnotations(object::Value& object, std::span<const std::string_view> names) {
  object::Value* const annotations = AnnotationsOf(object);
  if (annotations == nullptr) return;
  for (const std::string_view name : names) annotations->Erase(name);
  if (annotations->size() == 0) object.Find("metadata")->Erase("annotations");
}

}  // namespace skiff::apiserver
