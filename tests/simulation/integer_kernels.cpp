#include "integer_kernels.hpp"

#include <bit>
#include <cstring>

#include "frenzy/base/rng.hpp"

namespace frenzy::simulation {
namespace {

using executor::BlockCall;
using executor::ConstBytes;
using executor::MutableBytes;

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;

std::uint64_t blend(std::uint64_t hash, std::uint64_t value) { return (std::rotl(hash, 23) ^ value) * kFactor; }
std::uint64_t blend(std::uint64_t hash, double value) { return blend(hash, std::bit_cast<std::uint64_t>(value)); }

template <class T>
std::span<const T> values(ConstBytes bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <class T>
std::span<T> values(MutableBytes bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T>
std::uint64_t digest(std::uint64_t hash, std::span<const T> from) {
  for (const auto value : from) hash = blend(hash, static_cast<double>(value));
  return mix64(hash);
}

/// Below `bound`, from a hash and a place.
template <class T>
T number(std::uint64_t hash, std::uint64_t place, std::uint64_t bound) {
  return static_cast<T>((mix64(hash + place * kFactor) >> 20) % bound);
}

constexpr std::uint64_t kActivation = 251;
constexpr std::uint64_t kGradient = 1U << 14;
constexpr std::uint64_t kState = 1U << 20;
constexpr std::uint64_t kLoss = 1000;

template <class T>
class IntegerKernels final : public executor::Kernels {
 public:
  explicit IntegerKernels(const model::ModelSpec& spec) : hidden_(spec.hidden), vocabulary_(spec.vocabulary) {}

  [[nodiscard]] model::Scalar scalar() const override {
    return sizeof(T) == 8 ? model::Scalar::fp64 : model::Scalar::fp32;
  }

  void forward(const BlockCall& call) override {
    const auto state = weights_of(call);
    scribble(call.workspace);
    if (call.loss != nullptr) *call.loss = 0;
    for (std::uint32_t s = 0; s < call.shape.samples; ++s) {
      const auto hash = input_of(call, state, s);
      if (call.kind == model::BlockKind::head) {
        lose(call, hash, s);
      } else {
        fill(row(values<T>(call.output), call, s), hash, kActivation);
      }
      if (!call.kept.empty()) values<T>(call.kept)[s] = number<T>(hash, 1, kState);
    }
  }
  void evaluate(const BlockCall& call) override { forward(call); }

  void backward_input(const BlockCall& call) override {
    scribble(call.workspace);
    scribble(call.deferred);
    if (call.kind == model::BlockKind::embedding) return;
    const auto state = weights_of(call);
    for (std::uint32_t s = 0; s < call.shape.samples; ++s) {
      fill(row(values<T>(call.input_gradient), call, s), backward_of(call, state, s) + 1, kActivation);
    }
  }

  void backward_weight(const BlockCall& call) override {
    const auto state = weights_of(call);
    for (std::uint32_t s = 0; s < call.shape.samples; ++s) {
      const auto hash = backward_of(call, state, s);
      accumulate(values<T>(call.weight_gradient), hash + 2);
      accumulate(values<T>(call.tied_gradient), hash + 3);
    }
  }

  void optimize(const executor::OptimizerCall& call) override {
    auto common = blend(blend(blend(call.step, call.rate), call.gradient_scale), call.weight_decay);
    const auto weights = values<T>(call.weights), m1 = values<T>(call.moment1), m2 = values<T>(call.moment2);
    const auto gradient = values<T>(call.gradient);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      auto hash = blend(blend(common, static_cast<double>(weights[i])), static_cast<double>(gradient[i]));
      if (!m1.empty()) hash = blend(blend(hash, static_cast<double>(m1[i])), static_cast<double>(m2[i]));
      weights[i] = number<T>(hash, 0, kState);
      if (m1.empty()) continue;
      m1[i] = number<T>(hash, 1, kState);
      m2[i] = number<T>(hash, 2, kState);
    }
  }

  [[nodiscard]] double squared_norm(ConstBytes gradient) override {
    double sum = 0;
    for (const auto g : values<T>(gradient)) sum += static_cast<double>(g) * static_cast<double>(g);
    return sum;
  }
  void add(MutableBytes into, ConstBytes from) override {
    const auto to = values<T>(into);
    const auto terms = values<T>(from);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += terms[i];
  }

  [[nodiscard]] Bytes workspace(program::Opcode opcode, model::BlockKind, program::MicroBatchShape shape) const override {
    return {64 * shape.samples * (opcode == program::Opcode::backward ? 3U : 1U)};
  }
  [[nodiscard]] Seconds helper_cpu_time() const override { return {}; }

 private:
  template <class Element>
  [[nodiscard]] std::span<Element> row(std::span<Element> all, const BlockCall& call, std::uint32_t sample) const {
    const auto size = std::size_t{call.shape.sequence} * hidden_;
    return all.subspan(sample * size, size);
  }
  [[nodiscard]] static std::span<const std::int32_t> tokens(std::span<const std::int32_t> all, const BlockCall& call,
                                                            std::uint32_t sample) {
    return all.subspan(std::size_t{sample} * call.shape.sequence, call.shape.sequence);
  }

  static std::uint64_t weights_of(const BlockCall& call) {
    return digest(digest(static_cast<std::uint64_t>(call.kind), values<T>(call.weights)), values<T>(call.tied_weights));
  }

  std::uint64_t input_of(const BlockCall& call, std::uint64_t hash, std::uint32_t sample) const {
    if (call.kind == model::BlockKind::embedding) return digest(hash, tokens(call.tokens, call, sample));
    return digest(hash, row(values<T>(call.input), call, sample));
  }

  /// What the backward pass of one sample depends on: all that its forward pass kept or made.
  std::uint64_t backward_of(const BlockCall& call, std::uint64_t state, std::uint32_t sample) const {
    auto hash = input_of(call, state, sample);
    if (!call.kept.empty()) hash = blend(hash, static_cast<double>(values<T>(call.kept)[sample]));
    if (call.kind != model::BlockKind::head) return digest(hash, row(values<T>(call.output_gradient), call, sample));
    for (std::uint32_t t = 0; t < call.shape.sequence; ++t) hash = blend(hash, static_cast<double>(logit(call, sample, t)));
    return mix64(hash);
  }

  /// One number a position, where its row of logits begins.
  T& logit(const BlockCall& call, std::uint32_t sample, std::uint32_t t) const {
    return values<T>(call.logits)[(std::size_t{sample} * call.shape.sequence + t) * vocabulary_];
  }

  void lose(const BlockCall& call, std::uint64_t hash, std::uint32_t sample) const {
    const auto targets = tokens(call.targets, call, sample);
    for (std::uint32_t t = 0; t < call.shape.sequence; ++t) {
      const auto loss = number<T>(blend(hash, static_cast<std::uint64_t>(targets[t])), t, kLoss);
      logit(call, sample, t) = loss;
      if (targets[t] >= 0) *call.loss += static_cast<double>(loss);
    }
  }

  static void fill(std::span<T> into, std::uint64_t hash, std::uint64_t bound) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = number<T>(hash, i, bound);
  }
  static void accumulate(std::span<T> into, std::uint64_t hash) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += number<T>(hash, i, kGradient);
  }
  /// What is written for nobody: whoever wrongly shares these bytes reads this.
  static void scribble(MutableBytes bytes) {
    if (!bytes.empty()) std::memset(bytes.data(), 0x5a, bytes.size());
  }

  std::uint32_t hidden_, vocabulary_;
};

}  // namespace

Result<std::unique_ptr<executor::Kernels>> make_integer_kernels(const model::ModelSpec& spec, model::Scalar scalar,
                                                                std::uint32_t) {
  if (scalar == model::Scalar::fp64) return std::unique_ptr<executor::Kernels>(std::make_unique<IntegerKernels<double>>(spec));
  return std::unique_ptr<executor::Kernels>(std::make_unique<IntegerKernels<float>>(spec));
}

}  // namespace frenzy::simulation
