// Objects from one version of their API to another.
//
// A field goes to the field of the same name, at every level; what the other version does not have
// is dropped. Where versions differ in more than that, a rule for the pair of messages says how
// (conversion_rule.h): autoscalers between v1 and v2, events between their two groups, devices and
// requests of them in resource.k8s.io, custom resource definitions and their stored form, and
// versions that are no longer served and can only be read.
//
// Conversion knows no defaults: whoever reads an object applies those of the version it came in.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// Whether objects of one type can be made into the other: versions of one kind, or of the list of
// it, in one group or in the one that the kind has moved to. Types are their own version too.
bool CanConvert(const object::MessageDesc* from, const object::MessageDesc* to);

// The object with the other's kind and apiVersion. Fails when !CanConvert() (an internal error).
// The result shares nothing with the object.
Result<object::Document> Convert(const object::Document& object, const object::MessageDesc* to);
// The same object where it is of that type already.
Result<object::Document> Convert(object::Document&& object, const object::MessageDesc* to);

}  // namespace skiff::apiserver
