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
      uses_(count_uses(program.program)), state_(program.program) {
  state_.lock()->running.reserve(program.program.instructions.size());
}

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
    state->running.assign(ready.begin(), ready.end());
    for (std::uint32_t b = 0; poison_ == Poison::yes && b < uses_.size(); ++b) poison({b});
  }
  start(ready, context);
}

std::size_t Interpreter::progress() { return state_.lock()->cursor.completed(); }

std::optional<InstructionIndex> Interpreter::oldest() {
  auto state = state_.lock();
  return state->running.empty() ? std::nullopt : std::optional(state->running.front());
}

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
    std::erase(state->running, index);
    if (poison_ == Poison::yes) poison_dead(*state, index);
    state->cursor.complete(index);
    if (state->status) {
      ready = state->cursor.take_ready();
      state->running.insert(state->running.end(), ready.begin(), ready.end());
    }
    context = state->context;
    if (state->running.empty()) {
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
