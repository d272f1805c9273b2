#include "apiserver/convert/conversion_rule.h"

#include <atomic>
#include <cassert>

namespace skiff {
namespace {

std::atomic<FindConversion> g_find{nullptr};

}  // namespace

void SetConversionRules(FindConversion find) { g_find.store(find, std::memory_order_release); }

const ConversionRule* FindConversionRule(const MessageDesc* from, const MessageDesc* to) {
  const FindConversion find = g_find.load(std::memory_order_acquire);
  assert(find != nullptr && "SetConversionRules() comes first");
  return find(from, to);
}

}  // namespace skiff
