#pragma once
// Writer: a value into a Cap'n Proto struct. Refuses what the other side's Reader would refuse.

#include <cmath>

#include "archive.hpp"

namespace frenzy::codec {

class Writer {
 public:
  template <class T>
  using Of = const T;

  Writer(capnp::DynamicStruct::Builder to, Failure& failure) : to_(to), failure_(failure) {}

  /// `limit` bounds the length of texts, data and lists.
  template <class T>
  void operator()(const char* name, const T& value, std::size_t limit = kMaxName) {
    if (failure_.first) return;
    if constexpr (IsVector<T>::value) {
      list(name, value, limit);
    } else if constexpr (Scalar<T>) {
      const auto type = to_.getSchema().getFieldByName(name).getType();
      if (const auto wire = scalar(name, value, type, limit)) to_.set(name, *wire);
    } else {
      Writer inner(to_.init(name).as<capnp::DynamicStruct>(), failure_);
      describe(inner, value);
    }
  }
  /// A number within [low, high].
  template <class T>
  void range(const char* name, const T& value, T low, T high) {
    if (value < low || value > high) {
      return fail(name, format("is {}, not within {} to {}", value, low, high));
    }
    (*this)(name, value);
  }
  /// A double that may be infinite or not a number.
  void any(const char* name, double value) {
    if (!failure_.first) to_.set(name, value);
  }
  /// A check that spans fields.
  void require(bool holds, const char* name, const char* what) {
    if (!holds) fail(name, what);
  }
  /// An enum or digest that may be absent: then "unspecified", or no bytes.
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }

 private:
  using Value = capnp::DynamicValue::Reader;

  void fail(const char* name, std::string_view what) {
    failure_.set(error(Errc::invalid_argument, "{} {}", field_name(to_.getSchema(), name), what));
  }
  bool too_long(const char* name, std::size_t size, std::size_t limit) {
    if (size <= limit) return false;
    fail(name, format("has {} entries or bytes, at most {}", size, limit));
    return true;
  }

  template <class T>
  void list(const char* name, const std::vector<T>& values, std::size_t limit) {
    if (too_long(name, values.size(), limit)) return;
    const auto type = to_.getSchema().getFieldByName(name).getType().asList().getElementType();
    auto out = to_.init(name, static_cast<capnp::uint>(values.size())).as<capnp::DynamicList>();
    for (std::size_t i = 0; i < values.size() && !failure_.first; ++i) {
      const auto at = static_cast<capnp::uint>(i);
      if constexpr (Scalar<T>) {
        if (const auto wire = scalar(name, values[i], type, kMaxSentence)) out.set(at, *wire);
      } else {
        Writer inner(out[at].template as<capnp::DynamicStruct>(), failure_);
        describe(inner, values[i]);
      }
    }
  }

  template <class T>
  std::optional<Value> scalar(const char* name, const T& value, capnp::Type type, std::size_t limit) {
    if constexpr (std::is_enum_v<T>) {
      return enumerant(name, static_cast<std::uint16_t>(value), type.asEnum());
    } else if constexpr (std::is_same_v<T, double>) {
      if (!std::isfinite(value)) return fail(name, "is not finite"), std::nullopt;
      return Value(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return Value(value);
    } else if constexpr (Raw<T>) {
      return Value(capnp::Data::Reader(raw_bytes(value)));
    } else if constexpr (Numbered<T>) {
      return scalar(name, number(value), type, limit);
    } else if constexpr (std::is_same_v<T, Seconds>) {
      return scalar(name, value.count(), type, limit);
    } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
      if (value.count() < 0) return fail(name, "is negative"), std::nullopt;
      return Value(static_cast<std::uint64_t>(value.count()));
    } else if constexpr (std::is_same_v<T, WallTime>) {
      return Value(static_cast<std::int64_t>(value.time_since_epoch().count()));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (too_long(name, value.size(), limit)) return std::nullopt;
      return Value(capnp::Text::Reader(value.c_str(), value.size()));
    } else {
      if (too_long(name, value.size(), limit)) return std::nullopt;
      return Value(capnp::Data::Reader(reinterpret_cast<const kj::byte*>(value.data()), value.size()));
    }
  }

  std::optional<Value> enumerant(const char* name, std::uint16_t raw, capnp::EnumSchema schema) {
    const auto count = schema.getEnumerants().size();
    if (raw == 0 || raw >= count) {
      fail(name, format("is {}, which version {} does not know (it knows 1 to {})", raw, kProtocol, count - 1));
      return std::nullopt;
    }
    return Value(capnp::DynamicEnum(schema, raw));
  }

  capnp::DynamicStruct::Builder to_;
  Failure& failure_;
};

}  // namespace frenzy::codec
