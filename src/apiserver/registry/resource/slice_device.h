// One device of a slice: its attributes and capacities, where it can be reached from.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::apiserver {

// The fields of a choice that are set, and how messages show them: "{`a`, `b`}".
struct SetFields {
  int count = 0;
  std::string names;

  void Add(std::string_view name) {
    (names += count++ == 0 ? "`" : ", `") += name;
    names += '`';
  }
  std::string Shown() const { return "{" + names + "}"; }
};

// At the device. `old` is a view of nothing when it is new; taints that did not change are not
// looked at.
void ValidateSliceDevice(const views::resource_k8s_io_v1::Device& device,
                         const views::resource_k8s_io_v1::Device& old, bool selects_nodes,
                         FieldErrors& errors);

// What a pool has, or a device uses up, of things that devices share.
void ValidateCounters(const object::MapView<views::resource_k8s_io_v1::Counter>& counters,
                      FieldErrors& errors);

}  // namespace skiff::apiserver
