// Defaulting: what an object gets for the fields that its writer left out, as Kubernetes fills them
// in whenever it decodes an object, whether it came in a request, out of a patch or from storage.
//
// The schema says what: constants of single fields (FieldTraits::default_json) and rules of
// messages (DefaultsDesc). The few rules that are code stand with their kinds, see code_rules.h.
// All of them are compiled once into a plan per message, which leaves out every part of an object
// that has no defaults below it.
//
// Applying twice changes nothing more.
#pragma once

#include <functional>
#include <string_view>

#include "apiserver/defaults/code_rules.h"
#include "base/clock.h"
#include "object/value.h"

namespace skiff {

struct DefaultsEnvironment {
  // Whether a feature gate is on; asked while the environment is set, not later. Null: as
  // Kubernetes 1.36 has the gates if nobody sets them.
  std::function<bool(std::string_view gate)> gate_enabled;
  // For defaults that are the time of day; null: such fields stay unset. Must outlive every use.
  Clock* clock = nullptr;
  // Where the rules that are code are found; never null.
  FindCodeRule find_rule = nullptr;
};

// For the whole process from now on. Called when a server starts, before anything is read; an
// object that another thread is working on may still get the defaults of before.
void SetDefaultsEnvironment(DefaultsEnvironment environment);

// Fills in the defaults of the document's own version. Does nothing to documents without a type or
// of a type that is not in the schema. Constant text is not copied: it lives as long as the
// process.
void ApplyDefaults(Document& object);

// Whether ApplyDefaults would change nothing in the object of this type that these bytes of
// protobuf (without an envelope) hold. Yes is certain; no may mean that only decoding the object
// can tell. Costs a walk over the parts that can have defaults, and allocates nothing.
bool HasAllDefaults(const MessageDesc* type, std::string_view message);

}  // namespace skiff
