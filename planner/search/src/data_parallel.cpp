#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "frenzy/memory_profiler/admission.hpp"
#include "frenzy/memory_profiler/pack.hpp"
#include "frenzy/planner/search.hpp"
#include "frenzy/planner/split.hpp"

namespace frenzy::planner {
namespace {

/// Shards are cut at multiples of this many elements, so that every range starts on a cache line.
constexpr std::uint64_t kShardGrain = 16;
/// Bytes that AdamW reads and writes per parameter: w, m, v, g in; w, m, v out.
constexpr double kOptimizerBytes = 28.0;

struct Candidate {
  const model::DeviceSpec* device = nullptr;
  model::DeviceCost cost;
  std::uint32_t samples = 0;
  std::uint32_t micro_batch = 0;
  double state_weight = 0.0;
  bool shard_limited = false;
};

class DataParallelSearch {
 public:
  explicit DataParallelSearch(const PlanInputs& in)
      : in_(in), layout_(parameter_layout(*in.model)), parameters_(parameter_count(*in.model)) {}

  Result<PlanResult> run() {
    collect();
    if (candidates_.empty()) {
      return error(Errc::not_found, "no device can take part: {}", why_nobody());
    }
    while (!candidates_.empty()) {
      deal_samples();
      if (candidates_.empty()) break;
      const auto misfit = fit_all();
      if (!misfit) return finish();
      leave_out(misfit->index, misfit->why.what);
      last_misfit_ = misfit->why;
    }
    return *last_misfit_;
  }

 private:
  struct Misfit {
    std::size_t index;
    Error why;
  };

  void collect() {
    for (const auto& node : in_.cluster->nodes) {
      for (const auto& device : node.devices) {
        const auto cost = in_.calibration->devices.find(device.id);
        if (cost == in_.calibration->devices.end() || cost->second.matrix_rate.value <= 0) {
          left_out_.push_back({device.id, device.name, "its speed is not measured yet"});
          continue;
        }
        candidates_.push_back({.device = &device, .cost = cost->second, .samples = 0,
                               .micro_batch = 0, .state_weight = cost->second.matrix_rate.value,
                               .shard_limited = false});
      }
    }
  }

  [[nodiscard]] std::string why_nobody() const {
    if (left_out_.empty()) return "the cluster has no device";
    return format("{} {}", left_out_[0].name, left_out_[0].why);
  }

  [[nodiscard]] Flops flops_per_sample() const {
    Flops sum{};
    for (std::uint32_t b = 0; b < in_.model->block_count(); ++b) {
      const auto table = program::block_table(*in_.model, in_.model->kind({b}),
                                              {1, in_.recipe->sequence}, 1024, in_.recipe->precision);
      sum += table.forward + table.backward_input + table.backward_weight;
    }
    return sum;
  }

  [[nodiscard]] Seconds sample_time(const Candidate& c) const {
    return Seconds(flops_per_sample().value / c.cost.matrix_rate.value);
  }

  [[nodiscard]] Seconds optimizer_time(const Candidate& c, double fraction) const {
    if (c.cost.memory_bandwidth.value <= 0) return Seconds(0);
    return Seconds(static_cast<double>(parameters_) * fraction * kOptimizerBytes /
                   c.cost.memory_bandwidth.value);
  }

  // Devices that get no sample are left out; the rest is dealt again among fewer.
  void deal_samples() {
    std::vector<Seconds> cost, start;
    double weights = 0;
    for (const auto& c : candidates_) weights += c.state_weight;
    for (const auto& c : candidates_) {
      cost.push_back(sample_time(c));
      start.push_back(optimizer_time(c, weights > 0 ? c.state_weight / weights : 0));
    }
    const auto dealt = deal(in_.recipe->global_batch, cost, start);
    for (std::size_t i = candidates_.size(); i-- > 0;) {
      candidates_[i].samples = dealt[i];
      if (dealt[i] == 0) {
        leave_out(i, format("it is so slow, or the batch so small, that it would get none of the {} "
                            "samples of a step",
                            in_.recipe->global_batch));
      }
    }
  }

  void leave_out(std::size_t index, std::string why) {
    const auto& device = *candidates_[index].device;
    left_out_.push_back({device.id, device.name, std::move(why)});
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // Finds micro-batch sizes and shards so that every program fits; a device whose memory is short gives
  // optimizer state to the others. Returns the first that fits in no way.
  std::optional<Misfit> fit_all() {
    for (auto& c : candidates_) {
      c.state_weight = c.cost.matrix_rate.value;
      c.shard_limited = false;
    }
    if (const auto misfit = hopeless()) return misfit;
    constexpr int kShrinks = 12;
    for (int round = 0; round <= kShrinks; ++round) {
      const auto misfit = fit_once();
      if (!misfit) return std::nullopt;
      auto& short_of_memory = candidates_[misfit->index];
      const bool last_holder = holders() == 1 && short_of_memory.state_weight > 0;
      if (short_of_memory.state_weight <= 0 || last_holder) return misfit;
      short_of_memory.shard_limited = true;
      short_of_memory.state_weight = round + 1 < kShrinks ? short_of_memory.state_weight * 0.5 : 0.0;
    }
    return fit_once();
  }

  /// A device that could not run one sample at a time even if others held all optimizer state.
  std::optional<Misfit> hopeless() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      auto& c = candidates_[i];
      const auto weight = std::exchange(c.state_weight, candidates_.size() > 1 ? 0.0 : c.state_weight);
      for (auto& other : candidates_) other.micro_batch = 1;
      const auto program = compiled_program(i);
      const auto fits = program ? memory_profiler::admit_bound(*program, room(c)) : program.error();
      c.state_weight = weight;
      if (!fits) return Misfit{i, fits.error()};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t holders() const {
    return static_cast<std::size_t>(std::count_if(candidates_.begin(), candidates_.end(),
                                                  [](const auto& c) { return c.state_weight > 0; }));
  }

  std::optional<Misfit> fit_once() {
    for (auto& c : candidates_) c.micro_batch = c.samples;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto why = fit_one(i);
      if (why) return Misfit{i, *why};
    }
    return std::nullopt;
  }

  // Largest micro-batch first: fewer, larger pieces are faster; pieces are as equal as can be.
  std::optional<Error> fit_one(std::size_t i) {
    std::optional<Error> why;
    auto& c = candidates_[i];
    for (std::uint32_t pieces = 1; pieces <= c.samples; ++pieces) {
      const auto size = (c.samples + pieces - 1) / pieces;
      if (pieces > 1 && size == c.micro_batch) continue;
      c.micro_batch = size;
      const auto fits = fits_now(i);
      if (fits) return std::nullopt;
      why = fits.error();
    }
    return why;
  }

  /// The cheap bound first; packing only for what passes it.
  [[nodiscard]] Status fits_now(std::size_t i) const {
    auto program = compiled_program(i);
    if (!program) return program.error();
    const auto bound = memory_profiler::admit_bound(*program, room(candidates_[i]));
    if (!bound) return bound;
    return memory_profiler::admit(memory_profiler::pack(std::move(*program)), room(candidates_[i]));
  }

  [[nodiscard]] memory_profiler::Room room(const Candidate& c) const {
    return {c.device->name, c.device->free, c.cost.fixed, in_.reserve};
  }

  [[nodiscard]] Result<program::Program> compiled_program(std::size_t i) const {
    return compile(make_plan(), Rank{static_cast<std::uint32_t>(i)}, *in_.catalogue,
                   {.purpose = program::Purpose::training, .threads = candidates_[i].device->threads});
  }

  [[nodiscard]] model::Plan make_plan() const {
    model::Plan plan;
    plan.epoch = in_.epoch;
    plan.model = *in_.model;
    plan.recipe = *in_.recipe;
    model::Stage stage;
    stage.blocks = {{0}, {in_.model->block_count()}};
    stage.sharding = candidates_.size() > 1 ? model::Sharding::optimizer : model::Sharding::replicated;
    std::vector<double> weights;
    std::uint32_t sample = 0;
    for (const auto& c : candidates_) {
      stage.group.push_back({c.device->id, c.micro_batch, {sample, sample + c.samples}, {}});
      sample += c.samples;
      weights.push_back(c.state_weight);
    }
    for (const auto& block : layout_) {
      std::uint64_t at = 0;
      const auto parts = apportion(block.elements, weights, kShardGrain);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        stage.group[i].shards.push_back({at, at + parts[i]});
        at += parts[i];
      }
    }
    plan.gather_dtype = plan.reduce_dtype = plan.boundary_dtype = in_.recipe->precision;
    plan.pipelines.push_back({{std::move(stage)}});
    return plan;
  }

  Result<PlanResult> finish() {
    PlanResult out;
    out.plan = make_plan();
    out.left_out = left_out_;
    double rates = 0;
    for (const auto& c : candidates_) rates += c.cost.matrix_rate.value;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      auto program = compiled_program(i);
      if (!program) return program.error();
      out.shares.push_back(share(i, memory_profiler::pack(std::move(*program)), rates));
      out.step = std::max(out.step, out.shares.back().compute);
    }
    return out;
  }

  [[nodiscard]] DeviceShare share(std::size_t i, const program::PackedProgram& packed,
                                  double rates) const {
    const auto& c = candidates_[i];
    std::uint64_t owned = 0;
    for (const auto& block : packed.program.shards) owned += block.ranges[i].size();
    DeviceShare out;
    out.device = c.device->id;
    out.name = c.device->name;
    out.samples = c.samples;
    out.micro_batch = c.micro_batch;
    out.state_fraction = static_cast<double>(owned) / static_cast<double>(parameters_);
    out.footprint = memory_profiler::whole_footprint(packed, room(c));
    out.arena = packed.arena;
    out.fingerprint = fingerprint(packed.program);
    out.free = c.device->free;
    out.compute = Seconds(sample_time(c).count() * c.samples) + optimizer_time(c, out.state_fraction);
    out.why = format("{} of {} samples because it has {}% of the measured speed{}", c.samples,
                     in_.recipe->global_batch,
                     std::lround(100 * c.cost.matrix_rate.value / rates),
                     c.shard_limited ? "; its memory limits its share of the optimizer state"
                     : c.micro_batch < c.samples ? "; its memory limits the micro-batch" : "");
    return out;
  }

  PlanInputs in_;
  std::vector<model::BlockLayout> layout_;
  std::uint64_t parameters_;
  std::vector<Candidate> candidates_;
  std::vector<LeftOut> left_out_;
  std::optional<Error> last_misfit_;
};

}  // namespace

Result<PlanResult> search(const PlanInputs& inputs) {
  const auto model = validated(*inputs.model);
  if (!model) return model.error();
  const auto recipe = validated(*inputs.recipe);
  if (!recipe) return recipe.error();
  if (inputs.recipe->sequence > inputs.model->positions) {
    return error(Errc::invalid_argument, "train.seq_len {} is longer than the model's {} positions",
                 inputs.recipe->sequence, inputs.model->positions);
  }
  return DataParallelSearch(inputs).run();
}

}  // namespace frenzy::planner
