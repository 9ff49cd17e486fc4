#pragma once
// One instruction of a program: what it does, on which stream, on which buffers. The opcode set may
// grow; an unknown opcode is refused by the program version. Order between streams is not stated
// here: it follows from the buffers each instruction reads and writes (see order.hpp).

#include <cstdint>
#include <string_view>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/model/parameter_layout.hpp"

namespace frenzy::program {

enum class Opcode : std::uint8_t {
  load = 1,         ///< fill tokens and targets of a micro-batch from the data
  zero,             ///< zero a buffer
  count,            ///< sum of tokens and losses over the job, the same bits on every device
  forward,          ///< block, micro-batch
  evaluate,         ///< forward that keeps nothing
  backward,         ///< backward_input then backward_weight, fused
  backward_input,   ///< gradient of the block's input; defers what backward_weight needs
  backward_weight,  ///< gradient of the block's parameters
  recompute,        ///< forward again, to rebuild what was not kept
  send_activation,
  recv_activation,
  send_gradient,
  recv_gradient,
  gather,           ///< all-gather of a block's parameters (or gradients) from their shards
  release,          ///< a gathered block may be dropped
  reduce,           ///< reduce-scatter of a block's gradient into its shards
  norm,             ///< global gradient norm; each shard counted once
  step,             ///< optimizer on this device's shard of a block
  commit,           ///< the step happened: report it
  skip,             ///< the step is dropped by all (overflow)
  read_state,       ///< a state range leaves the device
  write_state,      ///< a state range enters the device
  offload,          ///< device to host
  prefetch          ///< host to device
};

enum class Stream : std::uint8_t { compute = 0, collective = 1, point_to_point = 2, copy_in = 3, copy_out = 4 };
inline constexpr std::size_t kStreams = 5;

/// What a buffer is to an instruction.
enum class Operand : std::uint8_t {
  weights = 1,      ///< block's flat parameters (compute copy)
  tied_weights,     ///< embedding's parameters, for a tied head
  tokens,           ///< int32 samples x sequence
  targets,          ///< int32 samples x sequence; -1 = no loss
  input,            ///< activation, samples x sequence x hidden
  output,
  kept,             ///< forward -> backward
  logits,           ///< bounded logits buffer
  output_gradient,
  input_gradient,
  deferred,         ///< backward_input -> backward_weight
  workspace,        ///< undefined before and after
  weight_gradient,
  tied_gradient,    ///< embedding's gradient, for a tied head
  moment1, moment2, ///< optimizer state of the own shard
  inbox,            ///< where a collective receives before it sums
  losses,           ///< fp64, one a micro-batch: sum over its tokens
  scalars           ///< fp64: [0] tokens, [1] loss sum, [2] squared norm, all over the job
};

enum class Access : std::uint8_t { read = 1, write = 2, read_write = 3 };

struct Use {
  BufferIndex buffer;
  Operand operand = Operand::workspace;
  Access access = Access::read;
  friend bool operator==(const Use&, const Use&) = default;
};

struct Instruction {
  Opcode opcode = Opcode::commit;
  Stream stream = Stream::compute;
  BlockIndex block;               ///< where it has a meaning
  MicroBatchIndex micro_batch;    ///< where it has a meaning
  Rank peer;                      ///< of send and recv
  std::vector<Use> uses;
  std::vector<InstructionIndex> after;  ///< edges that packing added: start only when these are done
  friend bool operator==(const Instruction&, const Instruction&) = default;

  /// The buffer used as `operand`, or nullptr.
  [[nodiscard]] const Use* find(Operand operand) const;
};

[[nodiscard]] std::string_view name_of(Opcode opcode);
[[nodiscard]] std::string_view name_of(Stream stream);
[[nodiscard]] std::string_view name_of(Operand operand);

}  // namespace frenzy::program
