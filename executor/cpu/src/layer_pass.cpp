#include <cstring>

#include "machine.hpp"

namespace frenzy::executor::cpu {
namespace {

/// Sizes and pointers of one layer call.
struct Layer {
  Layer(Machine& m, const BlockCall& c, const program::SlotList& temporaries)
      : machine(m), call(c), vector(m.vector), tokens(c.shape.tokens()), hidden(m.views.spec().hidden),
        ffn(m.views.spec().ffn), head_size(hidden / m.views.spec().heads),
        w(m.views.layer().at(elements<float>(c.weights))),
        kept(LayerKept<float>::of(m.views.table(c), c.kept)),
        temporary(LayerTemporaries<float>::of(temporaries, c.workspace)),
        scratch(m, c.workspace, temporaries.bytes, {}), input(elements<float>(c.input)) {}

  [[nodiscard]] Linear qkv() const { return {hidden, 3 * hidden}; }
  [[nodiscard]] Linear project() const { return {hidden, hidden}; }
  [[nodiscard]] Linear expand() const { return {hidden, ffn}; }
  [[nodiscard]] Linear contract() const { return {ffn, hidden}; }

  template <class Work>
  void for_rows(const Work& work) const {
    for_blocks(machine.pool, tokens, row_block(tokens), work);
  }
  void product(std::uint32_t worker, const GemmShape& shape, float* c, const float* a, const float* b) const {
    machine.gemms[worker]->run(shape, c, a, b, scratch.of(worker));
  }
  [[nodiscard]] AttentionHead head(std::size_t index, std::uint32_t worker) const {
    const std::size_t heads = machine.views.spec().heads, sequence = call.shape.sequence;
    const std::size_t sample = index / heads;
    const float* const first = kept.qkv + sample * sequence * 3 * hidden + index % heads * head_size;
    return {sequence, head_size, 3 * hidden, hidden, first, first + hidden, first + 2 * hidden,
            kept.row_statistic + index * sequence, reinterpret_cast<float*>(scratch.of(worker).data)};
  }
  /// First element of a head in a T x C array.
  [[nodiscard]] std::size_t head_offset(std::size_t index) const {
    const std::size_t heads = machine.views.spec().heads;
    return index / heads * call.shape.sequence * hidden + index % heads * head_size;
  }
  [[nodiscard]] std::size_t head_count() const {
    return std::size_t{call.shape.samples} * machine.views.spec().heads;
  }

  Machine& machine;
  const BlockCall& call;
  const VectorKernels& vector;
  std::size_t tokens, hidden, ffn, head_size;
  LayerParameters<const float> w;
  LayerKept<float> kept;
  LayerTemporaries<float> temporary;
  Scratch scratch;
  const float* input;
};

void forward_qkv(const Layer& l) {
  const auto epsilon = static_cast<float>(l.machine.views.spec().norm_epsilon);
  l.for_rows([&](std::size_t row, std::size_t count, std::uint32_t worker) {
    float* const norm = l.temporary.norm + row * l.hidden;
    float* const qkv = l.kept.qkv + row * 3 * l.hidden;
    l.vector.layer_norm(norm, l.kept.mean1 + row, l.kept.rstd1 + row, l.input + row * l.hidden,
                        l.w.norm1_weight, l.w.norm1_bias, count, l.hidden, epsilon);
    l.product(worker, forward_product(l.qkv(), count), qkv, norm, l.w.qkv_weight);
    l.vector.bias(qkv, l.w.qkv_bias, count, 3 * l.hidden);
  });
}

void forward_rest(const Layer& l) {
  const auto epsilon = static_cast<float>(l.machine.views.spec().norm_epsilon);
  l.for_rows([&](std::size_t row, std::size_t count, std::uint32_t worker) {
    const std::size_t at = row * l.hidden;
    float* const norm = l.temporary.norm + at;
    float* const middle = l.kept.middle + at;
    float* const inner = l.kept.preactivation + row * l.ffn;
    float* const activation = l.temporary.activation + row * l.ffn;
    float* const output = elements<float>(l.call.output) + at;
    l.product(worker, forward_product(l.project(), count), middle, l.kept.attention + at, l.w.project_weight);
    l.vector.bias_residual(middle, l.w.project_bias, l.input + at, count, l.hidden);
    l.vector.layer_norm(norm, l.kept.mean2 + row, l.kept.rstd2 + row, middle, l.w.norm2_weight,
                        l.w.norm2_bias, count, l.hidden, epsilon);
    l.product(worker, forward_product(l.expand(), count), inner, norm, l.w.expand_weight);
    l.vector.bias_gelu(activation, inner, l.w.expand_bias, count, l.ffn);
    l.product(worker, forward_product(l.contract(), count), output, activation, l.w.contract_weight);
    l.vector.bias_residual(output, l.w.contract_bias, middle, count, l.hidden);
  });
}

void backward_mlp(const Layer& l, const LayerDeferred<float>& d) {
  l.for_rows([&](std::size_t row, std::size_t count, std::uint32_t worker) {
    const std::size_t at = row * l.hidden;
    float* const d_inner = d.preactivation + row * l.ffn;
    std::memcpy(d.output + at, elements<float>(l.call.output_gradient) + at, count * l.hidden * sizeof(float));
    l.product(worker, input_product(l.contract(), count), d_inner, d.output + at, l.w.contract_weight);
    l.vector.gelu_backward(d_inner, l.kept.preactivation + row * l.ffn, count * l.ffn);
    l.product(worker, input_product(l.expand(), count), d.norm2 + at, d_inner, l.w.expand_weight);
    l.vector.layer_norm_backward(d.middle + at, d.output + at, d.norm2 + at, l.kept.middle + at,
                                 l.kept.mean2 + row, l.kept.rstd2 + row, l.w.norm2_weight, count, l.hidden);
    l.product(worker, input_product(l.project(), count), l.temporary.d_attention + at, d.middle + at,
              l.w.project_weight);
  });
}

void backward_heads(const Layer& l, const LayerDeferred<float>& d) {
  for_blocks(l.machine.pool, l.head_count(), 1, [&](std::size_t index, std::size_t, std::uint32_t worker) {
    const auto head = l.head(index, worker);
    float* const d_query = d.qkv + (head.query - l.kept.qkv);
    l.vector.attention_backward(head, {.out = l.kept.attention + l.head_offset(index),
                                       .d_out = l.temporary.d_attention + l.head_offset(index),
                                       .row_dot = l.temporary.row_dot + index * head.sequence,
                                       .d_query = d_query, .d_key = d_query + l.hidden,
                                       .d_value = d_query + 2 * l.hidden});
  });
}

void backward_qkv(const Layer& l, const LayerDeferred<float>& d) {
  l.for_rows([&](std::size_t row, std::size_t count, std::uint32_t worker) {
    const std::size_t at = row * l.hidden;
    l.product(worker, input_product(l.qkv(), count), d.norm1 + at, d.qkv + 3 * at, l.w.qkv_weight);
    l.vector.layer_norm_backward(elements<float>(l.call.input_gradient) + at, d.middle + at, d.norm1 + at,
                                 l.input + at, l.kept.mean1 + row, l.kept.rstd1 + row, l.w.norm1_weight, count,
                                 l.hidden);
  });
}

/// Adds a norm's parameter gradients, columns shared out over the workers.
void norm_weights(const Layer& l, float* d_weight, float* d_bias, const float* d_norm, const float* x,
                  const float* mean, const float* rstd) {
  for_blocks(l.machine.pool, l.hidden, kWeightRowBlock, [&](std::size_t begin, std::size_t count, std::uint32_t) {
    l.vector.layer_norm_backward_weight(d_weight + begin, d_bias + begin, d_norm + begin, x + begin, mean,
                                        rstd, l.tokens, l.hidden, count);
  });
}

std::uint64_t largest_product(Machine& machine, program::Opcode opcode, std::size_t tokens) {
  const auto& spec = machine.views.spec();
  const std::size_t hidden = spec.hidden, ffn = spec.ffn;
  std::uint64_t most = 0;
  for (const Linear linear : {Linear{hidden, 3 * hidden}, {hidden, hidden}, {hidden, ffn}, {ffn, hidden}}) {
    most = std::max(most, linear_scratch(machine, opcode, linear, tokens));
  }
  return most;
}

}  // namespace

void layer_forward(Machine& machine, const BlockCall& call) {
  const Layer layer(machine, call, machine.views.table(call).forward_temporaries);
  forward_qkv(layer);
  for_blocks(machine.pool, layer.head_count(), 1, [&](std::size_t index, std::size_t, std::uint32_t worker) {
    layer.vector.attention(layer.kept.attention + layer.head_offset(index), layer.head(index, worker));
  });
  forward_rest(layer);
}

void layer_backward_input(Machine& machine, const BlockCall& call) {
  const auto& table = machine.views.table(call);
  const Layer layer(machine, call, table.backward_temporaries);
  const auto deferred = LayerDeferred<float>::of(table, call.deferred);
  backward_mlp(layer, deferred);
  backward_heads(layer, deferred);
  backward_qkv(layer, deferred);
}

void layer_backward_weight(Machine& machine, const BlockCall& call) {
  const auto& table = machine.views.table(call);
  const Layer l(machine, call, table.backward_temporaries);
  const auto d = LayerDeferred<float>::of(table, call.deferred);
  const auto g = machine.views.layer().at(elements<float>(call.weight_gradient));
  l.for_rows([&](std::size_t row, std::size_t count, std::uint32_t) {
    l.vector.gelu(l.temporary.activation + row * l.ffn, l.kept.preactivation + row * l.ffn, count * l.ffn);
    l.vector.layer_norm_again(l.temporary.norm + row * l.hidden, l.kept.mean2 + row, l.kept.rstd2 + row,
                              l.kept.middle + row * l.hidden, l.w.norm2_weight, l.w.norm2_bias, count,
                              l.hidden);
  });
  linear_backward_weight(machine, l.scratch, l.contract(), l.tokens, g.contract_weight, g.contract_bias,
                         d.output, l.temporary.activation);
  linear_backward_weight(machine, l.scratch, l.expand(), l.tokens, g.expand_weight, g.expand_bias,
                         d.preactivation, l.temporary.norm);
  norm_weights(l, g.norm2_weight, g.norm2_bias, d.norm2, l.kept.middle, l.kept.mean2, l.kept.rstd2);
  linear_backward_weight(machine, l.scratch, l.project(), l.tokens, g.project_weight, g.project_bias,
                         d.middle, l.kept.attention);
  l.for_rows([&](std::size_t row, std::size_t count, std::uint32_t) {
    l.vector.layer_norm_again(l.temporary.norm + row * l.hidden, l.kept.mean1 + row, l.kept.rstd1 + row,
                              l.input + row * l.hidden, l.w.norm1_weight, l.w.norm1_bias, count, l.hidden);
  });
  linear_backward_weight(machine, l.scratch, l.qkv(), l.tokens, g.qkv_weight, g.qkv_bias, d.qkv,
                         l.temporary.norm);
  norm_weights(l, g.norm1_weight, g.norm1_bias, d.norm1, l.input, l.kept.mean1, l.kept.rstd1);
}

Bytes layer_workspace(Machine& machine, program::Opcode opcode, program::MicroBatchShape shape) {
  const auto& spec = machine.views.spec();
  auto slice = largest_product(machine, opcode, shape.tokens());
  if (opcode != program::Opcode::backward_weight) {
    slice = std::max<std::uint64_t>(
        slice, attention_scratch(shape.sequence, spec.hidden / spec.heads) * sizeof(float));
  }
  return aligned({slice}, program::kTensorAlignment) * machine.pool.threads();
}

}  // namespace frenzy::executor::cpu
