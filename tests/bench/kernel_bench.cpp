// One training step of a small GPT-2 (6 layers x 384, 6 heads, 4 x 256 tokens, 256 words) on the CPU
// kernels, best of several, in milliseconds. of_peak: of an FMA loop timed in the same run; both by CPU
// time, so that other work on the machine shows less.
// Usage: bench_kernels [threads] [vocabulary] [steps]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "frenzy/executor/cpu/make_kernels.hpp"
#include "model_run.hpp"

using namespace frenzy;
using namespace frenzy::executor;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// CPU seconds of this thread.
double own_cpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double all_cpu(const Kernels& kernels) { return own_cpu() + kernels.helper_cpu_time().count(); }

constexpr long kRounds = 4'000'000;
constexpr int kSums = 12;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float fma_loop_512() {
  __m512 sums[kSums];
  for (auto& sum : sums) sum = _mm512_set1_ps(1.0F);
  __m512 a = _mm512_set1_ps(0.999F);
  const __m512 b = _mm512_set1_ps(0.001F);
  for (long i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kSums; ++j) sums[j] = _mm512_fmadd_ps(sums[j], a, b);
    asm volatile("" : "+v"(a));
  }
  float total = 0.0F;
  for (const auto& sum : sums) total += _mm512_cvtss_f32(sum);
  return total;
}

__attribute__((target("avx2,fma"))) float fma_loop_256() {
  __m256 sums[kSums];
  for (auto& sum : sums) sum = _mm256_set1_ps(1.0F);
  __m256 a = _mm256_set1_ps(0.999F);
  const __m256 b = _mm256_set1_ps(0.001F);
  for (long i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kSums; ++j) sums[j] = _mm256_fmadd_ps(sums[j], a, b);
    asm volatile("" : "+x"(a));
  }
  float total = 0.0F;
  for (const auto& sum : sums) total += _mm256_cvtss_f32(sum);
  return total;
}
#endif

/// Multiply-adds a second of one thread, times two; 0 where this processor has no known loop.
double peak() {
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx512f");
  if (!wide && !__builtin_cpu_supports("fma")) return 0.0;
  double best = 0.0;
  volatile float keep = 0.0F;
  for (int i = 0; i < 5; ++i) {
    const double start = own_cpu();
    keep = keep + (wide ? fma_loop_512() : fma_loop_256());
    best = std::max(best, 2.0 * static_cast<double>(kRounds) * kSums * (wide ? 16 : 8) / (own_cpu() - start));
  }
  return best;
#else
  return 0.0;
#endif
}

struct Times {
  double forward = 1e9, backward = 1e9, update = 1e9, step = 1e9, cpu = 1e9;
};

void measure(const Kernels& kernels, test::ModelRun& run, const test::Batch& batch, std::uint64_t step, Times& best) {
  const model::Recipe recipe{.optimizer = model::OptimizerKind::adamw};
  const auto tokens = static_cast<double>(batch.shape.tokens());
  const double start = now(), cpu_start = all_cpu(kernels);
  run.zero_gradients();
  static_cast<void>(run.forward(batch));
  const double forward = now();
  run.backward(batch, test::ModelRun::Halves::together);
  const double backward = now();
  const double norm = run.gradient_norm() / tokens;
  run.optimize(recipe, 1e-4, step, std::min(1.0, 1.0 / (norm + 1e-6)) / tokens);
  const double end = now();
  best.forward = std::min(best.forward, forward - start);
  best.backward = std::min(best.backward, backward - forward);
  best.update = std::min(best.update, end - backward);
  best.step = std::min(best.step, end - start);
  best.cpu = std::min(best.cpu, all_cpu(kernels) - cpu_start);
}

double argument(int argc, char** argv, int index, double otherwise) {
  return argc > index ? std::strtod(argv[index], nullptr) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const auto threads = static_cast<std::uint32_t>(argument(argc, argv, 1, 1));
  const auto vocabulary = static_cast<std::uint32_t>(argument(argc, argv, 2, 256));
  const auto steps = static_cast<std::uint64_t>(argument(argc, argv, 3, 10));
  const auto spec = *model::validated({.layers = 6, .hidden = 384, .heads = 6, .ffn = 0, .positions = 256,
                                       .vocabulary = vocabulary});
  const auto kernels = cpu::make_kernels(spec, model::Scalar::fp32, {.threads = threads});
  test::ModelRun run(spec, *kernels, 1024, test::Poison::no);
  run.randomise(1, 0.02);
  const auto batch = test::random_batch(spec, {4, 256}, 2, 0);
  Times best;
  for (std::uint64_t step = 1; step <= steps; ++step) measure(*kernels, run, batch, step, best);

  double flops = 0.0;
  for (std::uint32_t block = 0; block < spec.block_count(); ++block) {
    const auto table =
        program::block_table(spec, spec.kind({block}), batch.shape, 1024, model::Scalar::fp32);
    flops += table.forward.value + table.backward_input.value + table.backward_weight.value;
  }
  const double reachable = peak();
  std::printf("kernels threads=%u vocabulary=%u forward_ms=%.1f backward_ms=%.1f update_ms=%.1f step_ms=%.1f cpu_ms=%.1f "
              "gflops=%.1f peak_gflops=%.1f of_peak=%.3f\n",
              threads, vocabulary, best.forward * 1e3, best.backward * 1e3, best.update * 1e3, best.step * 1e3, best.cpu * 1e3,
              flops / best.step * 1e-9, reachable * 1e-9, reachable > 0 ? flops / best.cpu / reachable : 0.0);
}
