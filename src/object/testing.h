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
inline const MessageDesc* WorkloadType() {
  static DescriptorPool pool;
  static const MessageDesc* const type = [] {
    const uint8_t omit = FieldDesc::kOmitEmpty;
    const uint8_t pointer = FieldDesc::kOmitEmpty | FieldDesc::kPointer;
    static constexpr std::string_view kName[] = {"name"};
    static constexpr std::string_view kPortKeys[] = {"port", "protocol"};
    const auto single = Cardinality::kSingle;
    const auto list = Cardinality::kList;
    const auto map = Cardinality::kMap;
    const FieldSpec meta[] = {{.name = "name"},
                              {.name = "labels", .cardinality = map},
                              {.name = "created", .type = FieldType::kTime}};
    const MessageDesc* meta_type = pool.Add("Meta", meta).value();
    const FieldSpec port[] = {{.name = "port", .type = FieldType::kInt32},
                              {.name = "protocol"},
                              {.name = "host", .type = FieldType::kInt32}};
    const MessageDesc* port_type = pool.Add("Port", port).value();
    const FieldSpec container[] = {
        {.name = "name", .flags = 0},
        {.name = "image"},
        {.name = "ports",
         .type = FieldType::kMessage,
         .cardinality = list,
         .message = port_type,
         .traits = {.list_type = ListType::kMap, .list_map_keys = kPortKeys}}};
    const MessageDesc* container_type = pool.Add("Container", container).value();
    const FieldSpec spec[] = {
        {.name = "replicas", .type = FieldType::kInt32, .flags = pointer},
        {.name = "paused", .type = FieldType::kBool},
        {.name = "strategy", .type = FieldType::kMessage, .flags = pointer, .message = port_type},
        {.name = "containers",
         .type = FieldType::kMessage,
         .cardinality = list,
         .message = container_type,
         .traits = {.list_type = ListType::kMap, .list_map_keys = kName}},
        {.name = "nodes", .cardinality = list},
        {.name = "limits", .type = FieldType::kQuantity, .cardinality = map},
        {.name = "extra", .type = FieldType::kAny, .cardinality = single},
        {.name = "rules", .type = FieldType::kStringList, .cardinality = map},
        {.name = "port", .type = FieldType::kIntOrString},
        {.name = "ratio", .type = FieldType::kDouble}};
    const MessageDesc* spec_type = pool.Add("Spec", spec).value();
    MessageDesc* workload = pool.Declare("Workload", pool.AddGroupVersion("test", "v1"));
    const FieldSpec fields[] = {
        {.name = "kind"},
        {.name = "apiVersion"},
        {.name = "metadata", .type = FieldType::kMessage, .flags = omit, .message = meta_type},
        {.name = "spec", .type = FieldType::kMessage, .flags = omit, .message = spec_type},
        {.name = "children",
         .type = FieldType::kMessage,
         .cardinality = list,
         .message = workload}};
    EXPECT_TRUE(pool.Define(workload, fields).has_value());
    return workload;
  }();
  return type;
}

// A workload with these values, each of which must be literal or without memory of its own.
inline Document Workload(std::initializer_list<std::pair<std::string_view, Value>> values) {
  Document document = Document::OfType(WorkloadType());
  for (const auto& [path, value] : values) {
    const auto set =
        FieldPath::Parse(path).value().Set(document, value, FieldPath::Missing::kCreate);
    EXPECT_TRUE(set.has_value()) << path << ": " << (set ? "" : set.error().message());
  }
  return document;
}

}  // namespace skiff::testing
