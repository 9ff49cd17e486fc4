#pragma once
// Reader: a Cap'n Proto struct into a value. Checks every count, length, size and range before it
// allocates. Cap'n Proto's own exceptions pass through to `decode`.

#include <cmath>

#include "archive.hpp"

namespace frenzy::codec {

class Reader {
 public:
  template <class T>
  using Of = T;

  Reader(capnp::DynamicStruct::Reader from, Failure& failure) : from_(from), failure_(failure) {}

  template <class T>
  void operator()(const char* name, T& value, std::size_t limit = kMaxName) {
    if (failure_.first) return;
    const auto wire = from_.get(name);
    if constexpr (IsVector<T>::value) {
      list(name, value, wire.template as<capnp::DynamicList>(), limit);
    } else if constexpr (Scalar<T>) {
      scalar(name, value, wire, limit);
    } else {
      Reader inner(wire.template as<capnp::DynamicStruct>(), failure_);
      describe(inner, value);
    }
  }
  template <class T>
  void range(const char* name, T& value, std::type_identity_t<T> low, std::type_identity_t<T> high) {
    (*this)(name, value);
    if (value < low || value > high) {
      fail(name, format("is {}, not within {} to {}", value, low, high));
    }
  }
  void any(const char* name, double& value) {
    if (!failure_.first) value = from_.get(name).as<double>();
  }
  void require(bool holds, const char* name, const char* what) {
    if (!holds) fail(name, what);
  }
  template <class T>
  void optional(const char* name, std::optional<T>& value) {
    if (failure_.first || absent<T>(from_.get(name))) return;
    (*this)(name, value.emplace());
  }

 private:
  using Value = capnp::DynamicValue::Reader;

  template <class T>
  [[nodiscard]] static bool absent(const Value& wire) {
    if constexpr (std::is_enum_v<T>) {
      return wire.as<capnp::DynamicEnum>().getRaw() == 0;
    } else {
      return wire.as<capnp::Data>().size() == 0;
    }
  }

  void fail(const char* name, std::string_view what) {
    failure_.set(error(Errc::corrupt, "{} {}", field_name(from_.getSchema(), name), what));
  }
  bool too_long(const char* name, std::size_t size, std::size_t limit) {
    if (size <= limit) return false;
    fail(name, format("has {} entries or bytes, at most {}", size, limit));
    return true;
  }

  template <class T>
  void list(const char* name, std::vector<T>& values, capnp::DynamicList::Reader from, std::size_t limit) {
    if (too_long(name, from.size(), limit)) return;
    values.clear();
    for (capnp::uint i = 0; i < from.size() && !failure_.first; ++i) {
      auto& value = values.emplace_back();
      if constexpr (Scalar<T>) {
        scalar(name, value, from[i], kMaxSentence);
      } else {
        Reader inner(from[i].template as<capnp::DynamicStruct>(), failure_);
        describe(inner, value);
      }
    }
  }

  template <class T>
  void scalar(const char* name, T& value, const Value& wire, std::size_t limit) {
    if constexpr (std::is_enum_v<T>) {
      enumerant(name, value, wire.as<capnp::DynamicEnum>());
    } else if constexpr (std::is_same_v<T, double>) {
      value = wire.as<double>();
      if (!std::isfinite(value)) fail(name, "is not finite");
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = wire.as<T>();
    } else if constexpr (Raw<T>) {
      raw(name, value, wire.as<capnp::Data>());
    } else if constexpr (Numbered<T>) {
      scalar(name, number(value), wire, limit);
    } else if constexpr (std::is_same_v<T, Seconds>) {
      double count = 0;
      scalar(name, count, wire, limit);
      value = Seconds{count};
    } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
      milliseconds(name, value, wire.as<std::uint64_t>());
    } else if constexpr (std::is_same_v<T, WallTime>) {
      value = WallTime{std::chrono::nanoseconds{wire.as<std::int64_t>()}};
    } else if constexpr (std::is_same_v<T, std::string>) {
      const auto text = wire.as<capnp::Text>();
      if (!too_long(name, text.size(), limit)) value.assign(text.begin(), text.size());
    } else {
      const auto data = wire.as<capnp::Data>();
      if (too_long(name, data.size(), limit)) return;
      const auto* bytes = reinterpret_cast<const std::byte*>(data.begin());
      value.assign(bytes, bytes + data.size());
    }
  }

  template <class T>
  void enumerant(const char* name, T& value, capnp::DynamicEnum wire) {
    const auto raw = wire.getRaw();
    const auto count = wire.getSchema().getEnumerants().size();
    if (raw == 0 || raw >= count) {
      return fail(name, format("is {}, which version {} does not know (it knows 1 to {})", raw, kProtocol, count - 1));
    }
    value = static_cast<T>(raw);
  }
  template <class T>
  void raw(const char* name, T& value, capnp::Data::Reader data) {
    auto into = raw_bytes(value);
    if (data.size() != into.size()) {
      return fail(name, format("has {} bytes, not {}", data.size(), into.size()));
    }
    std::copy(data.begin(), data.end(), into.begin());
  }
  void milliseconds(const char* name, std::chrono::milliseconds& value, std::uint64_t count) {
    constexpr std::uint64_t kYear = 366ULL * 24 * 3600 * 1000;
    if (count > kYear) return fail(name, format("is {} ms, more than a year", count));
    value = std::chrono::milliseconds{static_cast<std::int64_t>(count)};
  }

  capnp::DynamicStruct::Reader from_;
  Failure& failure_;
};

}  // namespace frenzy::codec
