#include "machine.hpp"

#include "frenzy/base/check.hpp"

namespace frenzy::executor::cpu {
Machine::Machine(const model::ModelSpec& spec, CpuOptions options)
    : views(spec, model::Scalar::fp32), pool(options.threads), vector(best_vector_kernels()) {
  for (std::uint32_t i = 0; i < pool.threads(); ++i) gemms.push_back(make_gemm());
}

Scratch::Scratch(const Machine& machine, MutableBytes workspace, Bytes temporaries, Bytes shared)
    : base_(workspace.data() + temporaries.value), shared_(shared.value) {
  FRENZY_CHECK(workspace.size() >= temporaries.value + shared.value);
  const auto left = workspace.size() - temporaries.value - shared.value;
  slice_ = left / machine.pool.threads() / program::kTensorAlignment * program::kTensorAlignment;
}

// Blocks of 512 rows lose 2 % to oneDNN's packing of the weights against 1024 at once, 256 lose 5 %.
std::size_t row_block(std::size_t rows) {
  constexpr std::size_t kStep = 16, kLeast = 64, kMost = 512;
  return std::clamp((rows / 4 + kStep - 1) / kStep * kStep, kLeast, kMost);
}

GemmShape forward_product(Linear l, std::size_t rows) {
  return {.m = rows, .n = l.out, .k = l.in, .a_stride = l.in, .b_stride = l.in, .c_stride = l.out,
          .b = Transpose::yes};
}

GemmShape input_product(Linear l, std::size_t rows) {
  return {.m = rows, .n = l.in, .k = l.out, .a_stride = l.out, .b_stride = l.in, .c_stride = l.in};
}

GemmShape weight_product(Linear l, std::size_t outs, std::size_t rows) {
  return {.m = outs, .n = l.in, .k = rows, .a_stride = l.out, .b_stride = l.in, .c_stride = l.in,
          .a = Transpose::yes, .accumulate = Accumulate::yes};
}

std::uint64_t linear_scratch(Machine& machine, program::Opcode opcode, Linear linear, std::size_t rows) {
  const auto step = std::min(row_block(rows), rows), out_step = std::min(kWeightRowBlock, linear.out);
  const auto last = rows % row_block(rows), last_out = linear.out % kWeightRowBlock;
  std::vector<GemmShape> shapes;
  if (opcode == program::Opcode::forward || opcode == program::Opcode::evaluate) {
    shapes = {forward_product(linear, step), forward_product(linear, last)};
  } else if (opcode == program::Opcode::backward_input) {
    shapes = {input_product(linear, step), input_product(linear, last)};
  } else {
    shapes = {weight_product(linear, out_step, rows), weight_product(linear, last_out, rows)};
  }
  std::uint64_t most = 0;
  for (const auto& shape : shapes) most = std::max(most, machine.gemms[0]->scratch_bytes(shape).value);
  return most;
}

void linear_backward_weight(Machine& machine, const Scratch& scratch, Linear linear, std::size_t rows,
                            float* d_weight, float* d_bias, const float* dy, const float* x) {
  for_blocks(machine.pool, linear.out, kWeightRowBlock, [&](std::size_t begin, std::size_t count, std::uint32_t worker) {
    machine.gemms[worker]->run(weight_product(linear, count, rows), d_weight + begin * linear.in, dy + begin,
                               x, scratch.of(worker));
    if (d_bias != nullptr) machine.vector.column_sums(d_bias + begin, dy + begin, rows, linear.out, count);
  });
}

}  // namespace frenzy::executor::cpu
