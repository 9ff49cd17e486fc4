#include "oracle.hpp"

#include <cmath>
#include <cstring>

#include "integer_kernels.hpp"

namespace frenzy::simulation {
namespace {

using executor::MutableBytes;

template <class T>
void put(MutableBytes bytes, std::uint64_t element, double value) {
  const auto narrow = static_cast<T>(value);
  std::memcpy(bytes.data() + element * sizeof(T), &narrow, sizeof(T));
}

}  // namespace

Oracle::Oracle(const model::JobSpec& job, std::string text)
    : job_(job), text_(std::move(text)), layout_(parameter_layout(job.model)),
      kernels_(std::move(make_integer_kernels(job.model, job.recipe.precision, 1)).value()),
      order_{job.recipe.seed, (text_.size() - 1) / job.recipe.sequence, job.recipe.global_batch},
      tokens_(job.recipe.sequence), targets_(job.recipe.sequence) {
  const auto width = size_of(job.recipe.precision);
  for (std::uint32_t b = 0; b < layout_.size(); ++b) {
    const auto table = program::block_table(job.model, job.model.kind({b}), {1, job.recipe.sequence}, 1024, job.recipe.precision);
    auto& block = blocks_.emplace_back();
    for (auto& field : block.state) field.resize(layout_[b].elements * width);
    block.gradient.resize(layout_[b].elements * width);
    block.kept.resize(table.kept.bytes.value);
    block.output.resize(table.boundary.value);
    block.output_gradient.resize(table.boundary.value);
    if (table.logits.value > 0) logits_.resize(table.logits.value);
    for (const auto& tensor : layout_[b].tensors) {
      for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
        const auto value = initial_value(tensor, job.recipe.seed, i);
        width == 8 ? put<double>(block.state[0], tensor.offset + i, value) : put<float>(block.state[0], tensor.offset + i, value);
      }
    }
  }
}

void Oracle::advance(Step step) {
  while (at_ < step) this->step();
}

void Oracle::step() {
  for (auto& block : blocks_) std::memset(block.gradient.data(), 0, block.gradient.size());
  sums_ = {};
  for (std::uint32_t i = 0; i < job_.recipe.global_batch; ++i) sample(order_.of(at_, i));
  double squares = 0;
  for (const auto& block : blocks_) squares += kernels_->squared_norm(block.gradient);
  sums_.norm = std::sqrt(squares) / sums_.tokens;
  const double clip = job_.recipe.clip;
  const double scale = (clip > 0 ? std::min(1.0, clip / (sums_.norm + 1e-6)) : 1.0) / sums_.tokens;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) optimize(b, scale);
  at_.value += 1;
}

void Oracle::sample(std::uint64_t id) {
  for (std::uint32_t t = 0; t < job_.recipe.sequence; ++t) {
    const auto place = id * job_.recipe.sequence + t;
    tokens_[t] = static_cast<unsigned char>(text_[place]);
    targets_[t] = static_cast<unsigned char>(text_[place + 1]);
  }
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) kernels_->forward(call(b));
  sums_.loss += loss_;
  sums_.tokens += job_.recipe.sequence;
  for (auto b = static_cast<std::uint32_t>(blocks_.size()); b-- > 0;) {
    kernels_->backward_input(call(b));
    kernels_->backward_weight(call(b));
  }
}

executor::BlockCall Oracle::call(std::uint32_t b) {
  auto& block = blocks_[b];
  executor::BlockCall out;
  out.kind = job_.model.kind({b});
  out.shape = {1, job_.recipe.sequence};
  out.weights = block.state[0];
  out.kept = block.kept;
  out.weight_gradient = block.gradient;
  if (b == 0) out.tokens = tokens_;
  if (b > 0) {
    out.input = blocks_[b - 1].output;
    out.input_gradient = blocks_[b - 1].output_gradient;
  }
  if (out.kind != model::BlockKind::head) {
    out.output = block.output;
    out.output_gradient = block.output_gradient;
    return out;
  }
  out.targets = targets_;
  out.logits = logits_;
  out.loss = &loss_;
  if (job_.model.tying == model::Tying::tied) {
    out.tied_weights = blocks_[0].state[0];
    out.tied_gradient = blocks_[0].gradient;
  }
  return out;
}

void Oracle::optimize(std::uint32_t b, double scale) {
  auto& block = blocks_[b];
  const auto width = size_of(job_.recipe.precision);
  for (const auto& tensor : layout_[b].tensors) {
    const auto part = [&](Memory& all) { return MutableBytes(all).subspan(tensor.offset * width, tensor.elements() * width); };
    executor::OptimizerCall call;
    call.recipe = &job_.recipe;
    call.rate = learning_rate(job_.recipe, at_.value);
    call.step = at_.value + 1;
    call.gradient_scale = scale;
    call.weight_decay = tensor.decay == model::Decay::yes ? job_.recipe.weight_decay : 0.0;
    call.weights = part(block.state[0]);
    call.gradient = part(block.gradient);
    if (has_moments()) {
      call.moment1 = part(block.state[1]);
      call.moment2 = part(block.state[2]);
    }
    kernels_->optimize(call);
  }
}

double Oracle::value(BlockIndex block, model::Field field, std::uint64_t element) const {
  const auto& memory = blocks_[block.value].state[static_cast<std::size_t>(field) - 1];
  if (job_.recipe.precision == model::Scalar::fp64) return reinterpret_cast<const double*>(memory.data())[element];
  return static_cast<double>(reinterpret_cast<const float*>(memory.data())[element]);
}

}  // namespace frenzy::simulation
