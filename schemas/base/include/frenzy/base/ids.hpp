#pragma once
// Identities. Things that live beyond one process are named by UUID (node, device, job); positions
// inside a plan or program are strong integers. Neither converts to the other by accident.

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "frenzy/base/result.hpp"

namespace frenzy {

class Rng;

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
  [[nodiscard]] bool is_nil() const { return *this == Uuid{}; }
  /// Version 4 from `rng`.
  [[nodiscard]] static Uuid random(Rng& rng);
  /// 8-4-4-4-12 lower or upper case hexadecimal; anything else is invalid_argument.
  [[nodiscard]] static Result<Uuid> parse(std::string_view text);
};

void append_text(std::string& out, const Uuid& value);

template <class Tag>
struct Id {
  Uuid uuid;

  friend auto operator<=>(const Id&, const Id&) = default;
  [[nodiscard]] static Id random(Rng& rng) { return Id{Uuid::random(rng)}; }
  [[nodiscard]] static Result<Id> parse(std::string_view text) {
    auto uuid = Uuid::parse(text);
    if (!uuid) return uuid.error();
    return Id{*uuid};
  }
  friend void append_text(std::string& out, const Id& value) { append_text(out, value.uuid); }
};

using NodeId = Id<struct NodeTag>;
using DeviceId = Id<struct DeviceTag>;
using JobId = Id<struct JobTag>;
using UserId = Id<struct UserTag>;

template <class Tag, class Rep = std::uint32_t>
struct Ordinal {
  Rep value{};

  friend constexpr auto operator<=>(const Ordinal&, const Ordinal&) = default;
  friend void append_text(std::string& out, const Ordinal& o) { append_text(out, o.value); }
};

using BlockIndex = Ordinal<struct BlockTag>;
using StageIndex = Ordinal<struct StageTag>;
using MicroBatchIndex = Ordinal<struct MicroBatchTag>;
using BufferIndex = Ordinal<struct BufferTag>;
using InstructionIndex = Ordinal<struct InstructionTag>;
/// Position of a device in the order of its plan's group; what programs call a peer.
using Rank = Ordinal<struct RankTag>;

/// Grows with each change of a job's device set.
using Epoch = Ordinal<struct EpochTag, std::uint64_t>;
/// Grows with each start of the coordinator.
using Incarnation = Ordinal<struct IncarnationTag, std::uint64_t>;
/// Optimizer steps done; state "at step s" is what exists after s commits.
using Step = Ordinal<struct StepTag, std::uint64_t>;

}  // namespace frenzy

template <class Tag>
struct std::hash<frenzy::Id<Tag>> {
  std::size_t operator()(const frenzy::Id<Tag>& id) const noexcept {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(id.uuid.bytes.data()), id.uuid.bytes.size()});
  }
};
