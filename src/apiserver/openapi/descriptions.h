// What types and fields of the schema mean, in words, for the documents that are being written.
//
// The executable has the words compressed, a block per group-version (object/published.h). A block
// is unpacked when the first of its types is asked for and kept as long as the Descriptions are,
// which is as long as a request for documents takes: idle servers hold nothing of it. One thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::apiserver {

class Descriptions {
 public:
  class Type {
   public:
    std::string_view text() const;
    // Empty if there is nothing to say.
    std::string_view FieldText(std::string_view name) const;

   private:
    friend class Descriptions;
    struct Field {
      std::string_view name;
      std::string_view text;
    };

    std::string_view name_;
    std::string_view like_name_;  // of another type that tells what this one does not; may be empty
    std::string_view text_;
    std::span<const Field> fields_;  // by name
    const Type* like_ = nullptr;
  };

  Descriptions();
  ~Descriptions();
  Descriptions(const Descriptions&) = delete;
  Descriptions& operator=(const Descriptions&) = delete;

  // By the name in OpenAPI: "io.k8s.api.core.v1.Pod". Null if nothing is told, as of types beyond
  // the schema. Lives as long as this.
  const Type* Find(std::string_view name);

  // What is unpacked now, in bytes of text.
  size_t unpacked_bytes() const;

 private:
  struct Block {
    std::string_view packed;
    std::string text;
    std::vector<Type> types;  // by name
    std::vector<Type::Field> fields;
  };

  static void Unpack(Block& block);

  std::map<std::string_view, Block> blocks_;  // by what the names of their types begin with
};

}  // namespace skiff::apiserver
