// Tables of the messages in gnostic's OpenAPIv2.proto and OpenAPIv3.proto, as far as our documents
// use them, and of how JSON becomes each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace skiff::apiserver {

struct GnosticMessage;

struct GnosticField {
  enum Kind : uint8_t {
    kString,
    kBool,
    kStrings,   // an array of strings
    kMessage,   // an object
    kMessages,  // an array of objects
    kAnys,      // an array of any values, each as YAML
  };
  std::string_view name;
  uint8_t tag;
  Kind kind;
  const GnosticMessage* message = nullptr;
};

struct GnosticMessage {
  enum Shape : uint8_t {
    kFields,     // an object with these fields; others begin with x- and are extensions
    kMap,        // an object with any names: repeated pairs of a name and a value
    kWrapped,    // a message around another
    kReference,  // the second field's message if there is a $ref, else the first's
    kParameter,  // of version 2: the field that is called as the parameter's place is
    kTypes,      // a string, as the only one of a list
    kStrings,    // an array of strings
    kDefault,    // a boolean, a number or a string
  };
  Shape shape;
  // kMap and kWrapped: one field without a name, which holds the value or the pairs.
  std::span<const GnosticField> fields = {};
  uint8_t extension_tag = 0;
};

extern const GnosticMessage kGnosticV2Document;
extern const GnosticMessage kGnosticV3Document;

}  // namespace skiff::apiserver
