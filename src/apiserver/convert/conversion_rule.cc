#include "apiserver/convert/conversion_rule.h"

#include <atomic>
#include <cassert>

namespace skiff::apiserver {
namespace {

std::atomic<FindConversion> g_find{nullptr};

}  // namespace

void SetConversionRules(FindConversion find) { g_find.store(find, std::memory_order_release); }

const ConversionRule* FindConversionRule(const object::MessageDesc* from,
                                         const object::MessageDesc* to) {
  const FindConversion find = g_find.load(std::memory_order_acquire);
  assert(find != nullptr && "SetConversionRules() comes first");
  return find(from, to);
}

}  // namespace skiff::apiserver
