#pragma once
// What both directions share: how a C++ type stands on the wire. One `describe` function a struct
// (fields*.hpp) is run with a Writer or with a Reader. Types on the wire:
//   enum -> enumerant of the same number; UUID, digest, fingerprint -> Data of its size;
//   quantity and ordinal -> their number; Seconds -> Float64; milliseconds -> UInt64;
//   WallTime -> Int64 nanoseconds; vector -> List; other structs -> struct.

#include <capnp/dynamic.h>

#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "frenzy/base/digest.hpp"
#include "frenzy/base/hash.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"
#include "frenzy/codec/envelope.hpp"

namespace frenzy::codec {

using ByteVector = std::vector<std::byte>;

/// The first failure of a message; later fields are skipped.
struct Failure {
  std::optional<Error> first;
  void set(Error error) {
    if (!first) first = std::move(error);
  }
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <>
struct IsVector<ByteVector> : std::false_type {};

template <class T>
struct IsRaw : std::false_type {};
template <class Tag>
struct IsRaw<Id<Tag>> : std::true_type {};
template <>
struct IsRaw<Uuid> : std::true_type {};
template <>
struct IsRaw<ContentDigest> : std::true_type {};
template <>
struct IsRaw<Fingerprint> : std::true_type {};
template <class T>
concept Raw = IsRaw<std::remove_const_t<T>>::value;

template <Raw T>
[[nodiscard]] auto raw_bytes(T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  using B = std::conditional_t<std::is_const_v<T>, const kj::byte, kj::byte>;
  return kj::ArrayPtr<B>(reinterpret_cast<B*>(&value), sizeof(T));
}

/// A reference to the number inside a quantity or ordinal.
template <class Tag, class Rep>
[[nodiscard]] Rep& number(Quantity<Tag, Rep>& q) { return q.value; }
template <class Tag, class Rep>
[[nodiscard]] const Rep& number(const Quantity<Tag, Rep>& q) { return q.value; }
template <class Tag, class Rep>
[[nodiscard]] Rep& number(Ordinal<Tag, Rep>& o) { return o.value; }
template <class Tag, class Rep>
[[nodiscard]] const Rep& number(const Ordinal<Tag, Rep>& o) { return o.value; }

template <class T>
concept Numbered = requires(const T& value) { number(value); };

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T> || Raw<T> || Numbered<T> ||
                 std::is_same_v<T, Seconds> || std::is_same_v<T, std::chrono::milliseconds> ||
                 std::is_same_v<T, WallTime> || std::is_same_v<T, std::string> ||
                 std::is_same_v<T, ByteVector>;

[[nodiscard]] inline std::string field_name(capnp::StructSchema schema, const char* field) {
  return format("{}.{}", schema.getShortDisplayName().cStr(), field);
}

}  // namespace frenzy::codec
