#include "frenzy/base/check.hpp"
#include "machine.hpp"

namespace frenzy::executor::cpu {
namespace {

constexpr std::uint32_t kUsualLogitRows = 1024;

Bytes loss_bytes(std::size_t tokens) {
  return aligned({tokens * sizeof(double)}, program::kTensorAlignment);
}

struct Head {
  Head(Machine& m, const BlockCall& c, const program::SlotList& temporaries)
      : machine(m), call(c), vector(m.vector), tokens(c.shape.tokens()),
        linear{m.views.spec().hidden, m.views.spec().vocabulary},
        logit_rows(program::logit_buffer_rows(c.shape, c.logit_rows)),
        kept(HeadKept<float>::of(m.views.table(c), c.kept)),
        norm(elements<float>(c.workspace.subspan(temporaries.find("norm").offset))),
        norm_weight(elements<float>(c.weights) + m.views.edges().norm_weight),
        norm_bias(elements<float>(c.weights) + m.views.edges().norm_bias),
        projection(m.views.tied() ? elements<float>(c.tied_weights) + m.views.edges().tokens
                                  : elements<float>(c.weights) + m.views.edges().projection),
        input(elements<float>(c.input)), logits(elements<float>(c.logits)),
        scratch(m, c.workspace, temporaries.bytes, loss_bytes(tokens)) {}

  /// The logits buffer holds every row, from forward to the end of backward.
  [[nodiscard]] bool whole() const { return logit_rows >= tokens; }

  template <class Work>
  void for_rows(std::size_t rows, const Work& work) const {
    for_blocks(machine.pool, rows, row_block(rows), work);
  }
  template <class Piece>
  void for_pieces(const Piece& piece) const {
    for (std::size_t begin = 0; begin < tokens; begin += logit_rows) {
      piece(begin, std::min(logit_rows, tokens - begin));
    }
  }
  void normalise() const {
    for_rows(tokens, [&](std::size_t row, std::size_t count, std::uint32_t) {
      vector.layer_norm_again(norm + row * linear.in, kept.mean + row, kept.rstd + row,
                              input + row * linear.in, norm_weight, norm_bias, count, linear.in);
    });
  }
  /// Gradient of the logits of rows [begin, begin + rows) into the logits buffer, their losses beside.
  void classify(std::size_t begin, std::size_t rows) const {
    auto* const losses = reinterpret_cast<double*>(scratch.shared());
    for_rows(rows, [&](std::size_t row, std::size_t count, std::uint32_t worker) {
      float* const to = logits + row * linear.out;
      machine.gemms[worker]->run(forward_product(linear, count), to, norm + (begin + row) * linear.in,
                                 projection, scratch.of(worker));
      vector.cross_entropy(to, losses + begin + row, call.targets.data() + begin + row, count, linear.out);
    });
  }

  Machine& machine;
  const BlockCall& call;
  const VectorKernels& vector;
  std::size_t tokens;
  Linear linear;
  std::size_t logit_rows;
  HeadKept<float> kept;
  float* norm;
  const float *norm_weight, *norm_bias, *projection, *input;
  float* logits;
  Scratch scratch;
};

}  // namespace

void head_forward(Machine& machine, const BlockCall& call) {
  const Head h(machine, call, machine.views.table(call).forward_temporaries);
  const auto epsilon = static_cast<float>(machine.views.spec().norm_epsilon);
  h.for_rows(h.tokens, [&](std::size_t row, std::size_t count, std::uint32_t) {
    h.vector.layer_norm(h.norm + row * h.linear.in, h.kept.mean + row, h.kept.rstd + row,
                        h.input + row * h.linear.in, h.norm_weight, h.norm_bias, count, h.linear.in, epsilon);
  });
  h.for_pieces([&](std::size_t begin, std::size_t rows) { h.classify(begin, rows); });
  // Summed by row, so that neither pieces nor threads show in the loss.
  const auto* const losses = reinterpret_cast<const double*>(h.scratch.shared());
  double loss = 0.0;
  for (std::size_t row = 0; row < h.tokens; ++row) loss += losses[row];
  *call.loss = loss;
}

void head_backward_input(Machine& machine, const BlockCall& call) {
  const Head h(machine, call, machine.views.table(call).backward_temporaries);
  auto* const d_norm = elements<float>(call.deferred);
  auto* const d_input = elements<float>(call.input_gradient);
  if (!h.whole()) h.normalise();
  h.for_pieces([&](std::size_t begin, std::size_t rows) {
    if (!h.whole()) h.classify(begin, rows);
    h.for_rows(rows, [&](std::size_t row, std::size_t count, std::uint32_t worker) {
      const std::size_t at = (begin + row) * h.linear.in;
      machine.gemms[worker]->run(input_product(h.linear, count), d_norm + at, h.logits + row * h.linear.out,
                                 h.projection, h.scratch.of(worker));
      h.vector.layer_norm_backward(d_input + at, nullptr, d_norm + at, h.input + at,
                                   h.kept.mean + begin + row, h.kept.rstd + begin + row, h.norm_weight, count,
                                   h.linear.in);
    });
  });
}

void head_backward_weight(Machine& machine, const BlockCall& call) {
  const Head h(machine, call, machine.views.table(call).backward_temporaries);
  const auto& edges = machine.views.edges();
  auto* const gradient = elements<float>(call.weight_gradient);
  float* const d_projection = machine.views.tied() ? elements<float>(call.tied_gradient) + edges.tokens
                                                   : gradient + edges.projection;
  h.normalise();
  h.for_pieces([&](std::size_t begin, std::size_t rows) {
    if (!h.whole()) h.classify(begin, rows);
    linear_backward_weight(machine, h.scratch, h.linear, rows, d_projection, nullptr, h.logits,
                           h.norm + begin * h.linear.in);
  });
  for_blocks(machine.pool, h.linear.in, kWeightRowBlock, [&](std::size_t begin, std::size_t count, std::uint32_t) {
    h.vector.layer_norm_backward_weight(gradient + edges.norm_weight + begin, gradient + edges.norm_bias + begin,
                                        elements<float>(call.deferred) + begin, h.input + begin, h.kept.mean,
                                        h.kept.rstd, h.tokens, h.linear.in, count);
  });
}

Bytes head_workspace(Machine& machine, program::Opcode opcode, program::MicroBatchShape shape) {
  const auto& spec = machine.views.spec();
  const Linear linear{spec.hidden, spec.vocabulary};
  std::uint64_t slice = 0;
  for (const std::uint64_t rows : {shape.tokens(), program::logit_buffer_rows(shape, kUsualLogitRows)}) {
    // Backward computes the logits again where the buffer is too small to keep them.
    for (const auto each : {opcode, program::Opcode::forward}) {
      slice = std::max(slice, linear_scratch(machine, each, linear, rows));
      slice = std::max(slice, linear_scratch(machine, each, linear, shape.tokens() % kUsualLogitRows));
    }
  }
  return loss_bytes(shape.tokens()) + aligned({slice}, program::kTensorAlignment) * machine.pool.threads();
}

}  // namespace frenzy::executor::cpu
