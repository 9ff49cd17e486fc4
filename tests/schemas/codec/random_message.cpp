#include "random_message.hpp"

#include <cstring>

#include "fields_control.hpp"
#include "fields_job.hpp"
#include "fields_plan.hpp"
#include "fields_run.hpp"

namespace frenzy::codec {
namespace {

template <class E>
constexpr std::uint64_t kLast = 0;
template <> constexpr std::uint64_t kLast<Role> = 4;
template <> constexpr std::uint64_t kLast<Errc> = 13;
template <> constexpr std::uint64_t kLast<model::DeviceKind> = 2;
template <> constexpr std::uint64_t kLast<model::NodeState> = 4;
template <> constexpr std::uint64_t kLast<model::JobState> = 11;
template <> constexpr std::uint64_t kLast<model::Family> = 1;
template <> constexpr std::uint64_t kLast<model::Tying> = 2;
template <> constexpr std::uint64_t kLast<model::OptimizerKind> = 2;
template <> constexpr std::uint64_t kLast<model::Schedule> = 3;
template <> constexpr std::uint64_t kLast<model::Scalar> = 6;
template <> constexpr std::uint64_t kLast<model::Sharding> = 5;
template <> constexpr std::uint64_t kLast<model::Recompute> = 3;
template <> constexpr std::uint64_t kLast<model::ScheduleKind> = 4;
template <> constexpr std::uint64_t kLast<model::Field> = 3;

class Randomizer {
 public:
  template <class T>
  using Of = T;
  explicit Randomizer(Rng& rng) : rng_(rng) {}

  template <class T>
  void operator()(const char* name, T& value, std::size_t limit = kMaxName) {
    if constexpr (IsVector<T>::value) {
      const auto most = std::min<std::uint64_t>(limit, 5);
      value.resize(limit == model::kParts ? limit : rng_.below(most + 1));
      for (auto& item : value) (*this)(name, item);
    } else if constexpr (Scalar<T>) {
      scalar(name, value, limit);
    } else {
      describe(*this, value);
    }
  }
  template <class T>
  void range(const char*, T& value, std::type_identity_t<T> low, std::type_identity_t<T> high) {
    value = static_cast<T>(static_cast<double>(low) + rng_.uniform() * static_cast<double>(high - low));
  }
  void any(const char*, double& value) { value = rng_.uniform() * 1e6 - 5e5; }
  void require(bool, const char*, const char*) {}
  template <class T>
  void optional(const char* name, std::optional<T>& value) {
    if (rng_.below(2) == 0) (*this)(name, value.emplace());
  }

 private:
  template <class T>
  void scalar(const char* name, T& value, std::size_t limit) {
    if constexpr (std::is_enum_v<T>) {
      static_assert(kLast<T> > 0);
      value = static_cast<T>(1 + rng_.below(kLast<T>));
    } else if constexpr (std::is_same_v<T, double>) {
      value = rng_.uniform() * 1e9;
    } else if constexpr (std::is_same_v<T, bool>) {
      value = rng_.below(2) == 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      // Halves of a range come in order, so that begin <= end.
      const bool begins = std::strstr(name, "egin") != nullptr;
      const bool ends = std::strstr(name, "nd") != nullptr && !begins;
      value = static_cast<T>(begins ? rng_.below(1000) : ends ? 1000 + rng_.below(1000) : rng_.next());
    } else if constexpr (Raw<T>) {
      for (auto& byte : raw_bytes(value)) byte = static_cast<kj::byte>(rng_.next());
    } else if constexpr (Numbered<T>) {
      scalar(name, number(value), limit);
    } else if constexpr (std::is_same_v<T, Seconds>) {
      value = Seconds{rng_.uniform() * 100};
    } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
      value = std::chrono::milliseconds{static_cast<std::int64_t>(rng_.below(1U << 30))};
    } else if constexpr (std::is_same_v<T, WallTime>) {
      value = WallTime{std::chrono::nanoseconds{static_cast<std::int64_t>(rng_.next() >> 2)}};
    } else {
      value.resize(rng_.below(std::min<std::uint64_t>(limit, 200) + 1));
      for (auto& item : value) item = static_cast<typename T::value_type>(rng_.next());
    }
  }

  Rng& rng_;
};

template <std::size_t I = 0>
void emplace(std::size_t kind, Message& message, Rng& rng) {
  if constexpr (I < std::variant_size_v<Message>) {
    if (kind != I) return emplace<I + 1>(kind, message, rng);
    Randomizer random(rng);
    describe(random, message.emplace<I>());
  }
}

}  // namespace

Envelope random_envelope_of(std::size_t kind, Rng& rng) {
  Envelope out;
  out.correlation = rng.next();
  out.reply = rng.below(2) == 1;
  emplace(kind, out.message, rng);
  return out;
}

Envelope random_envelope(Rng& rng) {
  return random_envelope_of(rng.below(std::variant_size_v<Message>), rng);
}

}  // namespace frenzy::codec
