#include "frenzy/executor/interpreter.hpp"

#include <cstring>

namespace frenzy::executor {
namespace {

/// A NaN in fp32 and fp64, an impossible token in int32.
constexpr int kPoisonByte = 0xff;

std::vector<std::uint32_t> count_uses(const program::Program& program) {
  std::vector<std::uint32_t> out(program.buffers.size(), 0);
  for (const auto& instruction : program.instructions) {
    for (const auto& use : instruction.uses) ++out[use.buffer.value];
  }
  return out;
}

}  // namespace

Interpreter::Interpreter(const program::PackedProgram& program, DeviceRuntime& runtime,
                         std::span<std::byte> arena, Poison poison)
    : program_(program), runtime_(runtime), arena_(arena), poison_(poison),
      uses_(count_uses(program.program)), state_(program.program) {}

void Interpreter::run_step(const StepContext& context, std::function<void(Status)> done) {
  std::vector<InstructionIndex> ready;
  {
    auto state = state_.lock();
    FRENZY_CHECK(!state->done);
    state->cursor.reset();
    state->context = context;
    state->status = {};
    state->uses_left = uses_;
    state->done = std::move(done);
    ready = state->cursor.take_ready();
    state->running = ready.size();
    for (std::uint32_t b = 0; poison_ == Poison::yes && b < uses_.size(); ++b) poison({b});
  }
  start(ready, context);
}

std::size_t Interpreter::progress() { return state_.lock()->cursor.completed(); }

void Interpreter::start(const std::vector<InstructionIndex>& ready, const StepContext& context) {
  for (const auto index : ready) {
    runtime_.start(index, context,
                   [this, index](Status status) { completed(index, std::move(status)); });
  }
}

void Interpreter::completed(InstructionIndex index, Status status) {
  std::vector<InstructionIndex> ready;
  StepContext context;
  std::function<void(Status)> done;
  Status result;
  {
    auto state = state_.lock();
    if (!status && state->status) {
      const auto& instruction = program_.program.instructions[index.value];
      state->status = at(format("{} of {}", name_of(instruction.opcode),
                                block_name(program_.program.model, instruction.block)),
                         status.error());
    }
    --state->running;
    if (poison_ == Poison::yes) poison_dead(*state, index);
    state->cursor.complete(index);
    if (state->status) {
      ready = state->cursor.take_ready();
      state->running += ready.size();
    }
    context = state->context;
    if (state->running == 0) {
      done = std::move(state->done);
      state->done = nullptr;
      result = state->status;
    }
  }
  start(ready, context);
  if (done) done(result);
}

void Interpreter::poison_dead(State& state, InstructionIndex index) {
  for (const auto& use : program_.program.instructions[index.value].uses) {
    if (--state.uses_left[use.buffer.value] == 0) poison(use.buffer);
  }
}

// Safe while others run: whoever shares these bytes may start only after this buffer's last use.
void Interpreter::poison(BufferIndex buffer) {
  const auto& what = program_.program.buffers[buffer.value];
  if (what.lifetime == program::Lifetime::persistent) return;
  const auto bytes = arena_.subspan(program_.offsets[buffer.value], what.bytes.value);
  if (!bytes.empty()) std::memset(bytes.data(), kPoisonByte, bytes.size());
}

}  // namespace frenzy::executor
