#pragma once
// Result<T>: a value or an Error{code, what}. Expected failures travel as values; `what` names the
// thing, the place and the numbers. A new code exists only where a caller would act differently;
// a number that was ever released is never used for something else.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "frenzy/base/check.hpp"
#include "frenzy/base/format.hpp"

namespace frenzy {

enum class Errc : unsigned char {
  invalid_argument = 1,    ///< the caller's input is wrong; repeating it cannot help
  not_found = 2,           ///< the named thing does not exist
  does_not_fit = 3,        ///< memory or capacity is too small; `what` has needed and available
  unreachable = 4,         ///< a peer cannot be reached, or was lost
  refused = 5,             ///< a peer or a policy said no: key, role, version
  timed_out = 6,           ///< a stated deadline passed
  corrupt = 7,             ///< bytes are not what their header, digest or schema says
  io = 8,                  ///< the operating system failed a file or socket operation
  exhausted = 9,           ///< descriptors, queue places or credits ran out; later may work
  cancelled = 10,          ///< stopped on request
  unsupported = 11,        ///< understood, but not something this version does
  conflict = 12,           ///< the state moved on: epoch, incarnation or id already used
  internal = 13,           ///< an unexpected failure of a third party, caught at its door
};

[[nodiscard]] std::string_view name_of(Errc code);

struct [[nodiscard]] Error {
  Errc code = Errc::internal;
  std::string what;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class... Args>
[[nodiscard]] Error error(Errc code, FormatPattern<std::type_identity_t<Args>...> pattern,
                          const Args&... args) {
  return Error{code, format<Args...>(pattern, args...)};
}

/// "place: what", the same code.
[[nodiscard]] Error at(std::string_view place, Error inner);

void append_text(std::string& out, const Error& value);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    FRENZY_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    FRENZY_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  /// By value, so that a range-for over a temporary does not dangle.
  [[nodiscard]] T value() && {
    FRENZY_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    FRENZY_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    FRENZY_CHECK(error_.has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace frenzy
