// Unification of types: whether a value of one type may stand where another is asked for, and
// what type parameters are then.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "cel/types.h"

namespace skiff::cel {

class Bindings {
 public:
  explicit Bindings(Types& types) : types_(types) {}

  // Whether `from` goes with `to`; binds type parameters only if so.
  bool Assignable(const Type* to, const Type* from);
  bool AssignableAll(std::span<const Type* const> to, std::span<const Type* const> from);
  // With bound parameters replaced; those that are not bound become dyn if `free_to_dyn`.
  const Type* Substitute(const Type* type, bool free_to_dyn);
  const Type* FreshParam();
  void Bind(std::string_view param, const Type* type);

  static const Type* MostGeneral(const Type* a, const Type* b);

 private:
  struct Change {
    std::string_view param;
    const Type* before;
  };
  const Type* Find(const Type* param) const;
  bool Unify(const Type* a, const Type* b);
  bool UnifyAll(std::span<const Type* const> a, std::span<const Type* const> b);
  bool ValidSubstitution(const Type* a, const Type* param, bool& bound);
  bool Occurs(const Type* param, const Type* within) const;
  void Rollback(size_t mark);

  Types& types_;
  std::map<std::string_view, const Type*> bound_;
  std::vector<Change> trail_;
  int next_param_ = 0;
};

}  // namespace skiff::cel
