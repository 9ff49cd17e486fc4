#pragma once
// Messages between actors of one process: immutable values behind a shared pointer. They never leave
// the process, so CAF needs neither to copy nor to inspect them.

#include <caf/allowed_unsafe_message_type.hpp>

#include <memory>
#include <utility>

namespace frenzy::actors {

template <class T>
using Msg = std::shared_ptr<const T>;

template <class T>
[[nodiscard]] Msg<std::decay_t<T>> msg(T&& value) {
  return std::make_shared<const std::decay_t<T>>(std::forward<T>(value));
}

}  // namespace frenzy::actors

namespace caf {
template <class T>
struct allowed_unsafe_message_type<std::shared_ptr<const T>> : std::true_type {};
}  // namespace caf
