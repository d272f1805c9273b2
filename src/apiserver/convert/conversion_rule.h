// The rules of conversion between two messages, beyond copying what has the same name. They stand
// with their kinds, in src/apiserver/registry/<group>/<kind>_conversion.cc.
#pragma once

#include "apiserver/convert/copier.h"
#include "object/value.h"

namespace skiff::apiserver {

// Run on `out`, which has got the members of the same name, with the message that it is made from.
struct ConversionRule {
  const object::MessageDesc* (*from)();
  const object::MessageDesc* (*to)();
  void (*apply)(const object::Value& from, object::Value& out, Copier& copier);
};

// Null where the names say it all.
using FindConversion = const ConversionRule* (*)(const object::MessageDesc* from,
                                                 const object::MessageDesc* to);

// For the whole process from now on. Called when a server starts, before anything is converted.
void SetConversionRules(FindConversion find);
const ConversionRule* FindConversionRule(const object::MessageDesc* from,
                                         const object::MessageDesc* to);

}  // namespace skiff::apiserver
