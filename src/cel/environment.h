// What names mean: functions, variables and types.
//
// The base environment has the functions of Kubernetes 1.36; others extend it by variables, types
// and functions. An environment is immutable once programs are compiled in it, and shared by them
// and by any number of threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cel/declarations.h"
#include "cel/parser.h"
#include "cel/types.h"

namespace skiff::cel {

// Which names expressions of admission have besides those that all of them have.
struct AdmissionNames {
  bool params = true;
  bool authorizer = true;
  bool patches = false;  // Object, JSONPatch, jsonpatch.escapeKey()
  friend bool operator==(const AdmissionNames&, const AdmissionNames&) = default;
};

class Environment {
 public:
  // Libraries of Kubernetes 1.36, no variables.
  static std::shared_ptr<const Environment> Base();
  // With variables of admission policies: object, oldObject, params, request, namespaceObject,
  // authorizer, authorizer.requestResource.
  static std::shared_ptr<const Environment> Admission() { return Admission({}); }
  static std::shared_ptr<const Environment> Admission(const AdmissionNames& names);
  // That, and what mutating policies have: Object, JSONPatch, jsonpatch.escapeKey().
  static std::shared_ptr<const Environment> Mutation() { return Admission({.patches = true}); }

  explicit Environment(std::shared_ptr<const Environment> parent) : parent_(std::move(parent)) {
    if (parent_ != nullptr) options_ = parent_->options_;
  }

  // For types of variables and structs.
  Types& types() { return types_; }
  void AddVariable(std::string_view name, const Type* type);
  void AddFunctions(std::span<const OverloadRow> rows);
  void AddShared(std::span<const SharedImpl> rows);
  // A struct whose name can be written; Struct() of types() makes one that cannot.
  void AddStruct(std::string_view name, const StructDecl& decl) {
    structs_[std::string(name)] = &decl;
  }
  void AddConstant(std::string_view name, const Type* type, const Val& value) {
    constants_[std::string(name)] = {type, value};
  }
  void SetOptions(const ParseOptions& options) { options_ = options; }
  const ParseOptions& options() const { return options_; }

  // Null: there is none.
  const Type* FindVariable(std::string_view name) const;
  const FunctionDecl* FindFunction(std::string_view name) const;
  const StructDecl* FindStruct(std::string_view name) const;
  // Of names such as `int`: the type that the name is of, so type(int).
  const Type* FindTypeName(std::string_view name) const;
  struct Constant {
    const Type* type;
    Val value;
  };
  const Constant* FindConstant(std::string_view name) const;

 private:
  std::shared_ptr<const Environment> parent_;
  Types types_;
  ParseOptions options_;
  std::map<std::string, const Type*, std::less<>> variables_;
  std::map<std::string, FunctionDecl, std::less<>> functions_;
  std::map<std::string, const StructDecl*, std::less<>> structs_;
  std::map<std::string, const Type*, std::less<>> type_names_;
  std::map<std::string, Constant, std::less<>> constants_;
};

}  // namespace skiff::cel
