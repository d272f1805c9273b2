// A small typed kind, and documents made of paths and values, for tests that need no schema.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "object/descriptor_builder.h"
#include "object/field_path.h"
#include "object/value.h"

namespace skiff::testing {

// Workload: metadata{name, labels, created}, spec{replicas (pointer), paused, strategy (pointer),
// containers (list map by name), nodes (a plain list), limits (map of quantities), extra (any),
// rules (map of string lists), port}, and children, a list of workloads.
inline const object::MessageDesc* WorkloadType() {
  static object::DescriptorPool pool;
  static const object::MessageDesc* const type = [] {
    const uint8_t omit = object::FieldDesc::kOmitEmpty;
    const uint8_t pointer = object::FieldDesc::kOmitEmpty | object::FieldDesc::kPointer;
    static constexpr std::string_view kName[] = {"name"};
    static constexpr std::string_view kPortKeys[] = {"port", "protocol"};
    const auto single = object::Cardinality::kSingle;
    const auto list = object::Cardinality::kList;
    const auto map = object::Cardinality::kMap;
    const object::FieldSpec meta[] = {{.name = "name"},
                                      {.name = "labels", .cardinality = map},
                                      {.name = "created", .type = object::FieldType::kTime}};
    const object::MessageDesc* meta_type = pool.Add("Meta", meta).value();
    const object::FieldSpec port[] = {{.name = "port", .type = object::FieldType::kInt32},
                                      {.name = "protocol"},
                                      {.name = "host", .type = object::FieldType::kInt32}};
    const object::MessageDesc* port_type = pool.Add("Port", port).value();
    const object::FieldSpec container[] = {
        {.name = "name", .flags = 0},
        {.name = "image"},
        {.name = "ports",
         .type = object::FieldType::kMessage,
         .cardinality = list,
         .message = port_type,
         .traits = {.list_type = object::ListType::kMap, .list_map_keys = kPortKeys}}};
    const object::MessageDesc* container_type = pool.Add("Container", container).value();
    const object::FieldSpec spec[] = {
        {.name = "replicas", .type = object::FieldType::kInt32, .flags = pointer},
        {.name = "paused", .type = object::FieldType::kBool},
        {.name = "strategy",
         .type = object::FieldType::kMessage,
         .flags = pointer,
         .message = port_type},
        {.name = "containers",
         .type = object::FieldType::kMessage,
         .cardinality = list,
         .message = container_type,
         .traits = {.list_type = object::ListType::kMap, .list_map_keys = kName}},
        {.name = "nodes", .cardinality = list},
        {.name = "limits", .type = object::FieldType::kQuantity, .cardinality = map},
        {.name = "extra", .type = object::FieldType::kAny, .cardinality = single},
        {.name = "rules", .type = object::FieldType::kStringList, .cardinality = map},
        {.name = "port", .type = object::FieldType::kIntOrString},
        {.name = "ratio", .type = object::FieldType::kDouble}};
    const object::MessageDesc* spec_type = pool.Add("Spec", spec).value();
    object::MessageDesc* workload = pool.Declare("Workload", pool.AddGroupVersion("test", "v1"));
    const object::FieldSpec fields[] = {
        {.name = "kind"},
        {.name = "apiVersion"},
        {.name = "metadata",
         .type = object::FieldType::kMessage,
         .flags = omit,
         .message = meta_type},
        {.name = "spec", .type = object::FieldType::kMessage, .flags = omit, .message = spec_type},
        {.name = "children",
         .type = object::FieldType::kMessage,
         .cardinality = list,
         .message = workload}};
    EXPECT_TRUE(pool.Define(workload, fields).has_value());
    return workload;
  }();
  return type;
}

// A workload with these values, each of which must be literal or without memory of its own.
inline object::Document Workload(
    std::initializer_list<std::pair<std::string_view, object::Value>> values) {
  object::Document document = object::Document::OfType(WorkloadType());
  for (const auto& [path, value] : values) {
    const auto set = object::FieldPath::Parse(path).value().Set(
        document, value, object::FieldPath::Missing::kCreate);
    EXPECT_TRUE(set.has_value()) << path << ": " << (set ? "" : set.error().message());
  }
  return document;
}

}  // namespace skiff::testing
