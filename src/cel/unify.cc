#include "cel/unify.h"

#include <string>

namespace skiff::cel {
namespace {

bool IsDynOrError(const Type& type) { return type.is_dyn() || type.kind == TypeKind::kError; }

bool TakesNull(const Type& type) {
  switch (type.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull:
      return true;
    default:
      return type.wrapper;
  }
}

// The same, or matching with dyn in the place of what the other has.
bool EqualOrLessSpecific(const Type& a, const Type& b) {
  if (a.is_dyn() || a.kind == TypeKind::kTypeParam) return true;
  if (b.is_dyn() || b.kind == TypeKind::kTypeParam) return false;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::kOpaque:
      if (a.name != b.name || a.params.size() != b.params.size()) return false;
      [[fallthrough]];
    case TypeKind::kList:
    case TypeKind::kMap:
      for (size_t i = 0; i < a.params.size(); ++i) {
        if (!EqualOrLessSpecific(*a.params[i], *b.params[i])) return false;
      }
      return true;
    case TypeKind::kType:
      return true;
    default:
      return SameType(a, b);
  }
}

}  // namespace

const Type* Bindings::MostGeneral(const Type* a, const Type* b) {
  return EqualOrLessSpecific(*a, *b) ? a : b;
}

const Type* Bindings::FreshParam() { return types_.Param("_var" + std::to_string(next_param_++)); }

void Bindings::Bind(std::string_view param, const Type* type) {
  const Type*& slot = bound_[param];
  trail_.push_back({param, slot});
  slot = type;
}

void Bindings::Rollback(size_t mark) {
  while (trail_.size() > mark) {
    const Change& change = trail_.back();
    if (change.before == nullptr) {
      bound_.erase(change.param);
    } else {
      bound_[change.param] = change.before;
    }
    trail_.pop_back();
  }
}

const Type* Bindings::Find(const Type* param) const {
  const auto found = bound_.find(param->name);
  return found == bound_.end() ? nullptr : found->second;
}

bool Bindings::Assignable(const Type* to, const Type* from) {
  const size_t mark = trail_.size();
  if (Unify(to, from)) return true;
  Rollback(mark);
  return false;
}

bool Bindings::AssignableAll(std::span<const Type* const> to, std::span<const Type* const> from) {
  const size_t mark = trail_.size();
  if (UnifyAll(to, from)) return true;
  Rollback(mark);
  return false;
}

bool Bindings::UnifyAll(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Unify(a[i], b[i])) return false;
  }
  return true;
}

bool Bindings::Unify(const Type* a, const Type* b) {
  if (b->kind == TypeKind::kTypeParam) {
    bool bound = false;
    if (ValidSubstitution(a, b, bound)) return true;
    if (bound) return false;
  }
  if (a->kind == TypeKind::kTypeParam) {
    bool bound = false;
    return ValidSubstitution(b, a, bound);
  }
  if (IsDynOrError(*a) || IsDynOrError(*b)) return true;
  if (a->kind == TypeKind::kNull) return TakesNull(*b);
  if (b->kind == TypeKind::kNull) return TakesNull(*a);
  switch (a->kind) {
    case TypeKind::kType:
      return b->kind == TypeKind::kType;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return a->kind == b->kind && a->name == b->name && UnifyAll(a->params, b->params);
    default:
      return a->kind == b->kind && a->name == b->name;
  }
}

bool Bindings::ValidSubstitution(const Type* a, const Type* param, bool& bound) {
  if (SameType(*a, *param)) {
    bound = true;
    return true;
  }
  if (const Type* now = Find(param)) {
    bound = true;
    if (SameType(*a, *now)) return true;
    if (!Unify(a, now)) return false;
    const Type* general = MostGeneral(a, now);
    if (!Occurs(param, general)) Bind(param->name, general);
    return true;
  }
  if (Occurs(param, a)) return false;
  Bind(param->name, a);
  return true;
}

bool Bindings::Occurs(const Type* param, const Type* within) const {
  if (SameType(*param, *within)) return true;
  if (within->kind == TypeKind::kTypeParam) {
    const Type* bound = Find(within);
    return bound != nullptr && Occurs(param, bound);
  }
  for (const Type* inner : within->params) {
    if (Occurs(param, inner)) return true;
  }
  return false;
}

const Type* Bindings::Substitute(const Type* type, bool free_to_dyn) {
  if (type->kind == TypeKind::kTypeParam) {
    if (const Type* bound = Find(type)) return Substitute(bound, free_to_dyn);
    return free_to_dyn ? &types::kDyn : type;
  }
  if (type->params.empty()) return type;
  std::vector<const Type*> params;
  bool changed = false;
  for (const Type* param : type->params) {
    params.push_back(Substitute(param, free_to_dyn));
    changed |= params.back() != param;
  }
  if (!changed) return type;
  switch (type->kind) {
    case TypeKind::kList:
      return types_.List(params[0]);
    case TypeKind::kMap:
      return types_.Map(params[0], params[1]);
    case TypeKind::kType:
      return types_.OfType(params[0]);
    default:
      return types_.Opaque(type->name, params);
  }
}

}  // namespace skiff::cel
