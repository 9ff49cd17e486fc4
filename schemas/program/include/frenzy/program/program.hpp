#pragma once
// A program: the static list of instructions and buffers of one training step on one device. It is
// run by the executor, sized by the memory profiler and priced by the pricer; there is no second
// description of a step.

#include <cstdint>
#include <string>
#include <vector>

#include "frenzy/base/hash.hpp"
#include "frenzy/model/footprint.hpp"
#include "frenzy/model/plan.hpp"
#include "frenzy/program/block_table.hpp"
#include "frenzy/program/instruction.hpp"

namespace frenzy::program {

inline constexpr std::uint32_t kProgramVersion = 1;

enum class Purpose : std::uint8_t { training = 1, evaluation = 2, save = 3, load = 4 };

/// step: bytes have a value only from the first write to the last use of one step.
/// persistent: the value lives on between steps (parameters, optimizer state).
enum class Lifetime : std::uint8_t { step = 1, persistent = 2 };

struct Buffer {
  std::string name;  ///< "layer 3 kept, micro-batch 1"
  model::Part part = model::Part::workspace;
  model::Scalar scalar = model::Scalar::fp32;
  Lifetime lifetime = Lifetime::step;
  Bytes bytes{};
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct MicroBatch {
  MicroBatchShape shape;
  model::SampleRange samples;  ///< numbers inside the step
  friend bool operator==(const MicroBatch&, const MicroBatch&) = default;
};

/// Who owns what of one block: one range a rank, covering the block in rank order.
struct BlockShards {
  std::vector<model::ElementRange> ranges;
  friend bool operator==(const BlockShards&, const BlockShards&) = default;
};

struct Program {
  std::uint32_t version = kProgramVersion;
  Purpose purpose = Purpose::training;
  Epoch epoch;
  Rank rank;
  std::uint32_t ranks = 1;
  model::ModelSpec model;
  model::Recipe recipe;
  model::Sharding sharding = model::Sharding::replicated;
  std::uint32_t logit_rows = 1024;
  std::vector<MicroBatch> micro_batches;
  std::vector<BlockShards> shards;  ///< one a block of the model
  std::vector<Buffer> buffers;
  std::vector<Instruction> instructions;
  friend bool operator==(const Program&, const Program&) = default;

  [[nodiscard]] model::ElementRange own_shard(BlockIndex block) const {
    return shards[block.value].ranges[rank.value];
  }
};

/// Equal programs have equal fingerprints; devices and planner compare them before a run.
[[nodiscard]] Fingerprint fingerprint(const Program& program);

/// A program whose buffers have places in one arena (memory_profiler::pack makes it).
struct PackedProgram {
  Program program;
  std::vector<std::uint64_t> offsets;  ///< one a buffer, bytes
  Bytes arena{};
  model::Footprint footprint;  ///< of the arena: parts and gaps sum to it
};

/// One line an instruction, for people and golden tests.
[[nodiscard]] std::string describe(const Program& program);

}  // namespace frenzy::program
