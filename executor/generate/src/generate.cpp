#include "frenzy/executor/generate.hpp"

#include <algorithm>
#include <cmath>

#include "frenzy/base/rng.hpp"

namespace frenzy::executor {
namespace {

using checkpoint::CheckpointReader;
using model::BlockKind;

/// Weights of the whole model and the activations of one window.
template <class T>
class Generator {
 public:
  Generator(const model::ModelSpec& spec, Kernels& kernels)
      : spec_(spec), kernels_(kernels), layout_(parameter_layout(spec)) {}

  Status load(CheckpointReader& reader) {
    for (std::uint32_t b = 0; b < layout_.size(); ++b) {
      auto& block = weights_.emplace_back(layout_[b].elements);
      const auto status =
          reader.load({b}, model::Field::weights, {0, block.size()}, std::span<T>(block));
      if (!status) return status;
    }
    return {};
  }

  /// Logits of the token after the window.
  std::vector<double> logits(std::span<const std::int32_t> window) {
    const program::MicroBatchShape shape{1, static_cast<std::uint32_t>(window.size())};
    std::vector<T> x(window.size() * spec_.hidden), y(x.size());
    for (std::uint32_t b = 0; b + 1 < layout_.size(); ++b) {
      run_block(b, shape, window, x, y);
      std::swap(x, y);
    }
    return head({x.data() + (window.size() - 1) * spec_.hidden, spec_.hidden});
  }

 private:
  void run_block(std::uint32_t b, program::MicroBatchShape shape, std::span<const std::int32_t> window,
                 std::span<T> x, std::span<T> y) {
    const auto kind = spec_.kind({b});
    const auto table = block_table(spec_, kind, shape, 1024, kernels_.scalar());
    std::vector<std::byte> kept(table.kept.bytes.value);
    std::vector<std::byte> workspace(
        (table.forward_temporaries.bytes + kernels_.workspace(program::Opcode::evaluate, kind, shape)).value);
    BlockCall call;
    call.kind = kind;
    call.shape = shape;
    call.weights = std::as_bytes(std::span(weights_[b]));
    if (kind == BlockKind::embedding) {
      call.tokens = window;
    } else {
      call.input = std::as_bytes(x);
    }
    call.output = std::as_writable_bytes(y);
    call.kept = kept;
    call.workspace = workspace;
    kernels_.evaluate(call);
  }

  [[nodiscard]] std::vector<double> head(std::span<const T> row) const {
    const auto& head = layout_.back();
    const auto* scale = weights_.back().data() + head.find("ln_f.weight").offset;
    const auto* shift = weights_.back().data() + head.find("ln_f.bias").offset;
    double mean = 0, variance = 0;
    for (const auto v : row) mean += static_cast<double>(v);
    mean /= static_cast<double>(row.size());
    for (const auto v : row) variance += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
    const double inverse = 1.0 / std::sqrt(variance / static_cast<double>(row.size()) + spec_.norm_epsilon);
    std::vector<double> normed;
    for (std::size_t i = 0; i < row.size(); ++i) {
      normed.push_back((static_cast<double>(row[i]) - mean) * inverse * static_cast<double>(scale[i]) +
                       static_cast<double>(shift[i]));
    }
    const bool tied = spec_.tying == model::Tying::tied;
    const auto& block = tied ? weights_.front() : weights_.back();
    const auto& table = tied ? layout_.front().find("wte.weight") : head.find("lm_head.weight");
    std::vector<double> out(spec_.vocabulary, 0.0);
    for (std::size_t v = 0; v < out.size(); ++v) {
      const auto* weight = block.data() + table.offset + v * spec_.hidden;
      for (std::size_t i = 0; i < normed.size(); ++i) out[v] += normed[i] * static_cast<double>(weight[i]);
    }
    return out;
  }

  model::ModelSpec spec_;
  Kernels& kernels_;
  std::vector<model::BlockLayout> layout_;
  std::vector<std::vector<T>> weights_;
};

std::int32_t pick(const std::vector<double>& logits, double temperature, double uniform) {
  const auto best = std::max_element(logits.begin(), logits.end());
  const auto likeliest = static_cast<std::int32_t>(best - logits.begin());
  if (temperature <= 0) return likeliest;
  std::vector<double> sums;
  sums.reserve(logits.size());
  double sum = 0;
  for (const auto logit : logits) sums.push_back(sum += std::exp((logit - *best) / temperature));
  const auto found = std::upper_bound(sums.begin(), sums.end(), uniform * sum);
  return found == sums.end() ? likeliest : static_cast<std::int32_t>(found - sums.begin());
}

template <class T>
Status run(CheckpointReader& reader, Kernels& kernels, std::vector<std::int32_t> tokens,
           const GenerateOptions& options, const std::function<void(std::int32_t)>& next) {
  const auto& spec = reader.manifest().model;
  Generator<T> generator(spec, kernels);
  const auto loaded = generator.load(reader);
  if (!loaded) return loaded;
  const auto key = random_key(options.seed, "generate");
  for (std::uint32_t i = 0; i < options.tokens; ++i) {
    const auto seen = std::min<std::size_t>(tokens.size(), spec.positions);
    const auto logits = generator.logits(std::span(tokens).last(seen));
    tokens.push_back(pick(logits, options.temperature, unit_interval(counter_random(key, i))));
    next(tokens.back());
  }
  return {};
}

}  // namespace

Status generate(CheckpointReader& reader, Kernels& kernels, std::vector<std::int32_t> prompt,
                const GenerateOptions& options, const std::function<void(std::int32_t)>& next) {
  if (prompt.empty()) return error(Errc::invalid_argument, "the prompt is empty");
  for (const auto token : prompt) {
    if (token < 0 || token >= static_cast<std::int32_t>(reader.manifest().model.vocabulary)) {
      return error(Errc::invalid_argument, "prompt token {} is outside the vocabulary of {}", token,
                   reader.manifest().model.vocabulary);
    }
  }
  return kernels.scalar() == model::Scalar::fp64
             ? run<double>(reader, kernels, std::move(prompt), options, next)
             : run<float>(reader, kernels, std::move(prompt), options, next);
}

}  // namespace frenzy::executor
