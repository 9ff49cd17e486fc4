#include "model_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "frenzy/base/rng.hpp"

namespace frenzy::executor::test {

MutableBytes Buffer::bytes() {
  if (size_ == 0) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  return MutableBytes(storage_).subspan((64 - address % 64) % 64, size_);
}

void Buffer::fill_nan() { std::ranges::fill(storage_, std::byte{0xff}); }
void Buffer::fill_zero() { std::ranges::fill(storage_, std::byte{0}); }

std::vector<double> to_doubles(ConstBytes bytes, model::Scalar scalar) {
  std::vector<double> out(bytes.size() / size_of(scalar));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (scalar == model::Scalar::fp64) {
      std::memcpy(&out[i], bytes.data() + 8 * i, 8);
    } else {
      float value = 0;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      out[i] = static_cast<double>(value);
    }
  }
  return out;
}

void from_doubles(MutableBytes bytes, model::Scalar scalar, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (scalar == model::Scalar::fp64) {
      std::memcpy(bytes.data() + 8 * i, &values[i], 8);
    } else {
      const auto value = static_cast<float>(values[i]);
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    }
  }
}

Batch random_batch(const model::ModelSpec& spec, program::MicroBatchShape shape, std::uint64_t seed,
                   std::uint64_t skip_one_in) {
  Rng rng(seed);
  Batch batch{shape, {}, {}};
  for (std::uint64_t i = 0; i < shape.tokens(); ++i) {
    batch.tokens.push_back(static_cast<std::int32_t>(rng.below(spec.vocabulary)));
    const auto target = static_cast<std::int32_t>(rng.below(spec.vocabulary));
    batch.targets.push_back(skip_one_in != 0 && rng.below(skip_one_in) == 0 ? -1 : target);
  }
  return batch;
}

ModelRun::ModelRun(const model::ModelSpec& spec, Kernels& kernels, std::uint32_t logit_rows, Poison poison)
    : spec_(spec), kernels_(kernels), logit_rows_(logit_rows), poison_(poison), layout_(model::parameter_layout(spec)) {
  for (const auto& block : layout_) {
    const auto bytes = block.elements * size_of(kernels.scalar());
    for (auto* list : {&weights_, &gradients_, &moment1_, &moment2_}) list->emplace_back(bytes);
  }
}

model::BlockKind ModelRun::kind(std::size_t block) const {
  return spec_.kind({static_cast<std::uint32_t>(block)});
}

void ModelRun::set_weights(std::size_t block, std::span<const double> values) {
  from_doubles(weights_[block].bytes(), kernels_.scalar(), values);
}

void ModelRun::randomise(std::uint64_t seed, double deviation) {
  for (std::size_t block = 0; block < blocks(); ++block) {
    std::vector<double> values;
    for (const auto& tensor : layout_[block].tensors) {
      const double centre = tensor.initial.kind == model::InitialKind::ones ? 1.0 : 0.0;
      for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
        values.push_back(centre + deviation * counter_normal(random_key(seed, tensor.name), i));
      }
    }
    // Exact in fp32, so that runs in both types start from the same point.
    for (auto& value : values) value = static_cast<double>(static_cast<float>(value));
    set_weights(block, values);
  }
}

std::vector<double> ModelRun::weights(std::size_t block) const {
  return to_doubles(weights_[block].bytes(), kernels_.scalar());
}
std::vector<double> ModelRun::gradient(std::size_t block) const {
  return to_doubles(gradients_[block].bytes(), kernels_.scalar());
}
std::vector<double> ModelRun::input_gradient(std::size_t block) const {
  return to_doubles(buffers_[block].input_gradient.bytes(), kernels_.scalar());
}
std::vector<double> ModelRun::activation(std::size_t block) const {
  return to_doubles(buffers_[block].output.bytes(), kernels_.scalar());
}

void ModelRun::allocate(const Batch& batch) {
  if (!buffers_.empty() && allocated_ == batch.shape) return;
  allocated_ = batch.shape;
  buffers_.clear();
  std::uint64_t scratch = 0;
  for (std::size_t block = 0; block < blocks(); ++block) {
    const auto table = block_table(spec_, kind(block), batch.shape, logit_rows_, kernels_.scalar());
    buffers_.push_back({Buffer(table.boundary.value), Buffer(table.kept.bytes.value),
                        Buffer(table.logits.value), Buffer(table.boundary.value),
                        Buffer(table.deferred.bytes.value)});
    for (const auto opcode : {program::Opcode::forward, program::Opcode::evaluate,
                              program::Opcode::backward_input, program::Opcode::backward_weight}) {
      const auto own = kernels_.workspace(opcode, kind(block), batch.shape).value;
      scratch = std::max(scratch, own + std::max(table.forward_temporaries.bytes.value,
                                                 table.backward_temporaries.bytes.value));
    }
  }
  workspace_ = Buffer(scratch);
}

BlockCall ModelRun::call(std::size_t block, const Batch& batch, program::Opcode opcode) {
  const bool backward = opcode != program::Opcode::forward && opcode != program::Opcode::evaluate;
  const auto table = block_table(spec_, kind(block), batch.shape, logit_rows_, kernels_.scalar());
  const auto& temporaries = backward ? table.backward_temporaries : table.forward_temporaries;
  const auto scratch = temporaries.bytes + kernels_.workspace(opcode, kind(block), batch.shape);
  auto& own = buffers_[block];
  if (poison_ == Poison::yes) workspace_.fill_nan();
  BlockCall out;
  out.kind = kind(block);
  out.shape = batch.shape;
  out.logit_rows = logit_rows_;
  out.weights = weights_[block].bytes();
  out.kept = own.kept.bytes();
  out.deferred = own.deferred.bytes();
  out.workspace = workspace_.bytes().first(scratch.value);
  if (out.kind == model::BlockKind::embedding) out.tokens = batch.tokens;
  if (block > 0) out.input = buffers_[block - 1].output.bytes();
  if (block > 0 && backward) out.input_gradient = own.input_gradient.bytes();
  out.weight_gradient = gradients_[block].bytes();
  if (out.kind != model::BlockKind::head) {
    out.output = own.output.bytes();
    if (backward) out.output_gradient = buffers_[block + 1].input_gradient.bytes();
    return out;
  }
  out.targets = batch.targets;
  out.logits = own.logits.bytes();
  if (spec_.tying == model::Tying::tied) {
    out.tied_weights = weights_.front().bytes();
    out.tied_gradient = gradients_.front().bytes();
  }
  return out;
}

double ModelRun::run_forward(const Batch& batch, program::Opcode opcode) {
  allocate(batch);
  double loss = 0.0;
  for (std::size_t block = 0; block < blocks(); ++block) {
    for (auto* buffer : {&buffers_[block].output, &buffers_[block].kept, &buffers_[block].logits}) {
      if (poison_ == Poison::yes) buffer->fill_nan();
    }
    auto one = call(block, batch, opcode);
    one.loss = &loss;
    opcode == program::Opcode::forward ? kernels_.forward(one) : kernels_.evaluate(one);
  }
  return loss;
}

double ModelRun::forward(const Batch& batch) { return run_forward(batch, program::Opcode::forward); }
double ModelRun::evaluate(const Batch& batch) { return run_forward(batch, program::Opcode::evaluate); }

void ModelRun::backward(const Batch& batch, Halves halves) {
  for (std::size_t i = blocks(); i-- > 0;) {
    if (poison_ == Poison::yes) {
      buffers_[i].input_gradient.fill_nan();
      buffers_[i].deferred.fill_nan();
    }
    kernels_.backward_input(call(i, batch, program::Opcode::backward_input));
    if (halves == Halves::split) continue;
    kernels_.backward_weight(call(i, batch, program::Opcode::backward_weight));
  }
  if (halves == Halves::together) return;
  for (std::size_t i = blocks(); i-- > 0;) {
    auto weight_half = call(i, batch, program::Opcode::backward_weight);
    kernels_.backward_weight(weight_half);
  }
}

void ModelRun::zero_gradients() {
  for (auto& gradient : gradients_) gradient.fill_zero();
}

double ModelRun::gradient_norm() {
  double sum = 0.0;
  for (auto& gradient : gradients_) sum += kernels_.squared_norm(gradient.bytes());
  return std::sqrt(sum);
}

void ModelRun::optimize(const model::Recipe& recipe, double rate, std::uint64_t step,
                        double gradient_scale) {
  const auto width = size_of(kernels_.scalar());
  for (std::size_t block = 0; block < blocks(); ++block) {
    for (const auto& tensor : layout_[block].tensors) {
      const auto range = [&](Buffer& buffer) {
        return buffer.bytes().subspan(tensor.offset * width, tensor.elements() * width);
      };
      kernels_.optimize({.recipe = &recipe, .rate = rate, .step = step, .gradient_scale = gradient_scale,
                         .weight_decay = tensor.decay == model::Decay::yes ? recipe.weight_decay : 0.0,
                         .weights = range(weights_[block]), .moment1 = range(moment1_[block]),
                         .moment2 = range(moment2_[block]), .gradient = range(gradients_[block])});
    }
  }
}

}  // namespace frenzy::executor::test
