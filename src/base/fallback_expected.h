// FallbackExpected<T, E>: the part of std::expected that we use, for clang before 16.
//
// libstdc++ gives std::expected two destructors and lets constraints choose (P0848), which those
// clangs do not implement: destroying any std::expected whose error is not trivial is an error
// there. They build the fuzz targets only; every other build has Result<T> as std::expected itself
// (base/status.h). Behaves as std::expected does, but for value(), which asserts instead of
// throwing.
#pragma once

#include <cassert>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

// <expected> is empty for compilers that announce an earlier state of concepts, as these do; but
// std::unexpected in it works. Other headers must see the truth, or std::variant breaks alike.
#if defined(__clang__) && __clang_major__ < 16
#pragma push_macro("__cpp_concepts")
#undef __cpp_concepts
#define __cpp_concepts 202002L
#include <expected>
#pragma pop_macro("__cpp_concepts")
#else
#include <expected>
#endif

namespace skiff {

template <typename T, typename E>
class FallbackExpected {
  template <typename U>
  static constexpr bool IsValue =
      std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, FallbackExpected>;

 public:
  using value_type = T;
  using error_type = E;

  FallbackExpected() : value_(std::in_place) {}
  template <typename U = T, typename = std::enable_if_t<IsValue<U>>>
  explicit(!std::convertible_to<U, T>) FallbackExpected(U&& value)
      : value_(std::in_place, std::forward<U>(value)) {}
  template <typename G>
  FallbackExpected(const std::unexpected<G>& failure) : error_(std::in_place, failure.error()) {}
  template <typename G>
  FallbackExpected(std::unexpected<G>&& failure)
      : error_(std::in_place, std::move(failure).error()) {}

  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& value() & { return assert(has_value()), *value_; }
  const T& value() const& { return assert(has_value()), *value_; }
  T&& value() && { return assert(has_value()), *std::move(value_); }

  E& error() & { return *error_; }
  const E& error() const& { return *error_; }
  E&& error() && { return *std::move(error_); }

  template <typename U>
  T value_or(U&& other) const& {
    return has_value() ? *value_ : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  T value_or(U&& other) && {
    return has_value() ? *std::move(value_) : static_cast<T>(std::forward<U>(other));
  }

 private:
  // Exactly one of the two is there.
  std::optional<T> value_;
  std::optional<E> error_;
};

template <typename E>
class FallbackExpected<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  FallbackExpected() = default;
  template <typename G>
  FallbackExpected(const std::unexpected<G>& failure) : error_(failure.error()) {}
  template <typename G>
  FallbackExpected(std::unexpected<G>&& failure) : error_(std::move(failure).error()) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void operator*() const {}
  void value() const { assert(has_value()); }

  E& error() & { return *error_; }
  const E& error() const& { return *error_; }
  E&& error() && { return std::move(*error_); }

 private:
  std::optional<E> error_;
};

}  // namespace skiff
