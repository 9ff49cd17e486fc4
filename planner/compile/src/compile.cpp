#include "frenzy/planner/compile.hpp"

#include <algorithm>

#include "builder.hpp"
#include "frenzy/base/text.hpp"

namespace frenzy::planner {
namespace {

using model::BlockKind;
using model::Part;
using model::Scalar;
using program::BlockTable;
using program::Lifetime;
using program::Opcode;
using program::Operand;
using program::Purpose;
using program::Stream;
using program::Use;

/// Doubles of the scalars buffer: tokens, loss sum, squared norm over the job.
constexpr std::uint64_t kScalars = 3;

struct MicroBatchBuffers {
  BufferIndex tokens, targets;
  std::vector<BufferIndex> boundary;  // output of block b
  std::vector<BufferIndex> kept;
  BufferIndex logits;
};

/// Compiles the program of one member of a data-parallel group.
class DataParallel {
 public:
  DataParallel(const model::Plan& plan, program::Program header,
               const program::KernelCatalogue& catalogue, CompileOptions options)
      : plan_(plan), catalogue_(catalogue), options_(options),
        scalar_(plan.recipe.precision), layout_(parameter_layout(plan.model)),
        build_(std::move(header)) {}

  program::Program run() {
    make_state();
    const auto count = build_.program().micro_batches.size();
    losses_ = build_.buffer("losses", Part::workspace, Scalar::fp64, {8 * count});
    scalars_ = build_.buffer("scalars", Part::workspace, Scalar::fp64, {8 * kScalars});
    for (std::uint32_t mb = 0; mb < count; ++mb) micro_batch(mb);
    options_.purpose == Purpose::training ? update() : finish_evaluation();
    return build_.take();
  }

 private:
  [[nodiscard]] std::uint32_t blocks() const { return plan_.model.block_count(); }
  [[nodiscard]] bool training() const { return options_.purpose == Purpose::training; }
  [[nodiscard]] bool tied() const { return plan_.model.tying == model::Tying::tied; }
  [[nodiscard]] bool sharded() const {
    return build_.program().sharding == model::Sharding::optimizer;
  }
  [[nodiscard]] bool alone() const { return build_.program().ranks == 1; }
  [[nodiscard]] std::string name(std::uint32_t block) const {
    return model::block_name(plan_.model, {block});
  }
  [[nodiscard]] std::uint64_t width() const { return size_of(scalar_); }

  void make_state() {
    for (std::uint32_t b = 0; b < blocks(); ++b) {
      const auto whole = Bytes{layout_[b].elements * width()};
      const auto own = Bytes{build_.program().own_shard({b}).size() * width()};
      weights_.push_back(build_.buffer(name(b) + " weights", Part::weights, scalar_, whole,
                                       Lifetime::persistent));
      if (!training()) continue;
      const auto moment = sharded() ? own : whole;
      const bool adam = plan_.recipe.optimizer == model::OptimizerKind::adamw;
      for (auto* moments : {&moment1_, &moment2_}) {
        const auto* which = moments == &moment1_ ? " moment 1" : " moment 2";
        moments->push_back(build_.buffer(name(b) + which, Part::optimizer, scalar_,
                                         adam ? moment : Bytes{}, Lifetime::persistent));
      }
      gradients_.push_back(build_.buffer(name(b) + " gradient", Part::gradients, scalar_, whole));
      zeroed_.push_back(false);
    }
  }

  [[nodiscard]] BlockTable table(std::uint32_t block, std::uint32_t mb) const {
    return program::block_table(plan_.model, plan_.model.kind({block}),
                                build_.program().micro_batches[mb].shape, plan_.logit_rows, scalar_);
  }

  BufferIndex workspace(std::uint32_t block, std::uint32_t mb, Opcode opcode, Bytes temporaries) {
    const auto shape = build_.program().micro_batches[mb].shape;
    const auto scratch = catalogue_.workspace(
        {opcode, plan_.model.kind({block}), shape, scalar_, options_.threads});
    return build_.buffer(format("{} {} workspace, micro-batch {}", name(block), name_of(opcode), mb),
                         Part::workspace, scalar_, temporaries + scratch);
  }

  program::Instruction& emit(Opcode opcode, Stream stream, std::uint32_t block, std::uint32_t mb,
                             std::vector<Use> uses) {
    auto& instruction = build_.add(opcode, stream, std::move(uses));
    instruction.block = {block};
    instruction.micro_batch = {mb};
    return instruction;
  }

  void micro_batch(std::uint32_t mb) {
    auto buffers = load(mb);
    for (std::uint32_t b = 0; b < blocks(); ++b) forward(b, mb, buffers);
    if (!training()) return;
    BufferIndex gradient{};
    for (std::uint32_t b = blocks(); b-- > 0;) gradient = backward(b, mb, buffers, gradient);
  }

  MicroBatchBuffers load(std::uint32_t mb) {
    const auto tokens = build_.program().micro_batches[mb].shape.tokens();
    MicroBatchBuffers out;
    const auto make = [&](const char* what) {
      return build_.buffer(format("{}, micro-batch {}", what, mb), Part::activations, Scalar::int32,
                           {4 * tokens});
    };
    out.tokens = make("tokens");
    out.targets = make("targets");
    emit(Opcode::load, Stream::copy_in, 0, mb,
         {writes(out.tokens, Operand::tokens), writes(out.targets, Operand::targets)});
    return out;
  }

  void forward(std::uint32_t b, std::uint32_t mb, MicroBatchBuffers& buffers) {
    const auto sizes = table(b, mb);
    const auto kind = plan_.model.kind({b});
    const auto opcode = training() ? Opcode::forward : Opcode::evaluate;
    std::vector<Use> uses{reads(weights_[b], Operand::weights)};
    const auto tensor = [&](const char* what, Part part, Bytes bytes) {
      return build_.buffer(format("{} {}, micro-batch {}", name(b), what, mb), part, scalar_, bytes);
    };
    buffers.kept.push_back(tensor("kept", Part::activations, sizes.kept.bytes));
    buffers.boundary.push_back(tensor("output", Part::activations,
                                      kind == BlockKind::head ? Bytes{} : sizes.boundary));
    if (kind == BlockKind::embedding) {
      uses.push_back(reads(buffers.tokens, Operand::tokens));
    } else {
      uses.push_back(reads(buffers.boundary[b - 1], Operand::input));
    }
    if (kind == BlockKind::head) {
      buffers.logits = tensor("logits", Part::logits, sizes.logits);
      uses.push_back(writes(buffers.logits, Operand::logits));
      uses.push_back(reads(buffers.targets, Operand::targets));
      uses.push_back(updates(losses_, Operand::losses));
      if (tied()) uses.push_back(reads(weights_[0], Operand::tied_weights));
    }
    uses.push_back(writes(buffers.boundary[b], Operand::output));
    uses.push_back(writes(buffers.kept[b], Operand::kept));
    const auto scratch = workspace(b, mb, opcode, sizes.forward_temporaries.bytes);
    uses.push_back(writes(scratch, Operand::workspace));
    emit(opcode, Stream::compute, b, mb, std::move(uses));
  }

  /// Zeroes a gradient right before it is first added to, so that it lives no longer than it must.
  void zero_once(std::uint32_t b, std::uint32_t mb) {
    if (zeroed_[b]) return;
    zeroed_[b] = true;
    emit(Opcode::zero, Stream::compute, b, mb, {writes(gradients_[b], Operand::weight_gradient)});
  }

  BufferIndex backward(std::uint32_t b, std::uint32_t mb, const MicroBatchBuffers& buffers,
                       BufferIndex output_gradient) {
    const auto sizes = table(b, mb);
    const auto kind = plan_.model.kind({b});
    const bool with_tied = kind == BlockKind::head && tied();
    zero_once(b, mb);
    if (with_tied) zero_once(0, mb);
    std::vector<Use> uses{reads(weights_[b], Operand::weights),
                          updates(gradients_[b], Operand::weight_gradient)};
    BufferIndex input_gradient{};
    if (kind == BlockKind::embedding) {
      uses.push_back(reads(buffers.tokens, Operand::tokens));
    } else {
      input_gradient = build_.buffer(format("{} input gradient, micro-batch {}", name(b), mb),
                                     Part::activations, scalar_, sizes.boundary);
      uses.push_back(reads(buffers.boundary[b - 1], Operand::input));
      uses.push_back(writes(input_gradient, Operand::input_gradient));
      uses.push_back(reads(buffers.kept[b], Operand::kept));
      const auto deferred = build_.buffer(format("{} deferred, micro-batch {}", name(b), mb),
                                          Part::workspace, scalar_, sizes.deferred.bytes);
      uses.push_back(writes(deferred, Operand::deferred));
    }
    if (kind == BlockKind::head) {
      uses.push_back(updates(buffers.logits, Operand::logits));
      uses.push_back(reads(buffers.targets, Operand::targets));
      if (with_tied) {
        uses.push_back(reads(weights_[0], Operand::tied_weights));
        uses.push_back(updates(gradients_[0], Operand::tied_gradient));
      }
    } else {
      uses.push_back(reads(output_gradient, Operand::output_gradient));
    }
    uses.push_back(writes(workspace(b, mb, Opcode::backward, sizes.backward_temporaries.bytes),
                          Operand::workspace));
    emit(Opcode::backward, Stream::compute, b, mb, std::move(uses));
    const bool last = mb + 1 == build_.program().micro_batches.size();
    if (last) reduce(b);
    return input_gradient;
  }

  /// Sum over the group; the inbox takes the other ranks' copies of the own range, so that they are
  /// added in rank order.
  void reduce(std::uint32_t b) {
    if (alone()) return;
    // A device without samples still takes part in the sum.
    const auto& program = build_.program();
    const auto own = program.own_shard({b}).size() * width();
    const auto inbox = build_.buffer(name(b) + " inbox", Part::communication, scalar_,
                                     {own * (program.ranks - 1)});
    emit(Opcode::reduce, Stream::collective, b, 0,
         {updates(gradients_[b], Operand::weight_gradient), writes(inbox, Operand::inbox)});
    if (!sharded()) {
      emit(Opcode::gather, Stream::collective, b, 0,
           {updates(gradients_[b], Operand::weight_gradient)});
    }
  }

  void reduce_without_samples() {
    for (std::uint32_t b = blocks(); b-- > 0;) {
      zero_once(b, 0);
      reduce(b);
    }
  }

  void count() {
    const auto ranks = build_.program().ranks;
    const auto inbox = build_.buffer("scalars inbox", Part::communication, Scalar::fp64,
                                     {8 * kScalars * ranks});
    emit(Opcode::count, Stream::collective, 0, 0,
         {reads(losses_, Operand::losses), updates(scalars_, Operand::scalars),
          writes(inbox, Operand::inbox)});
  }

  void update() {
    if (build_.program().micro_batches.empty()) reduce_without_samples();
    std::vector<Use> norm{writes(scalars_, Operand::scalars)};
    for (std::uint32_t b = 0; b < blocks(); ++b) {
      norm.push_back(reads(gradients_[b], Operand::weight_gradient));
    }
    emit(Opcode::norm, Stream::compute, 0, 0, std::move(norm));
    count();
    for (std::uint32_t b = 0; b < blocks(); ++b) step(b);
    std::vector<Use> commit{reads(scalars_, Operand::scalars)};
    for (const auto weights : weights_) commit.push_back(reads(weights, Operand::weights));
    emit(Opcode::commit, Stream::compute, 0, 0, std::move(commit));
  }

  void step(std::uint32_t b) {
    const bool has_shard = !sharded() || !build_.program().own_shard({b}).empty();
    if (has_shard) {
      emit(Opcode::step, Stream::compute, b, 0,
           {updates(weights_[b], Operand::weights), reads(gradients_[b], Operand::weight_gradient),
            updates(moment1_[b], Operand::moment1), updates(moment2_[b], Operand::moment2),
            reads(scalars_, Operand::scalars)});
    }
    if (sharded() && !alone()) {
      emit(Opcode::gather, Stream::collective, b, 0, {updates(weights_[b], Operand::weights)});
    }
  }

  void finish_evaluation() {
    emit(Opcode::zero, Stream::compute, 0, 0, {writes(scalars_, Operand::scalars)});
    count();
    emit(Opcode::commit, Stream::compute, 0, 0, {reads(scalars_, Operand::scalars)});
  }

  const model::Plan& plan_;
  const program::KernelCatalogue& catalogue_;
  CompileOptions options_;
  Scalar scalar_;
  std::vector<model::BlockLayout> layout_;
  Builder build_;
  std::vector<BufferIndex> weights_, moment1_, moment2_, gradients_;
  std::vector<bool> zeroed_;
  BufferIndex losses_, scalars_;
};

Status check_supported(const model::Plan& plan, CompileOptions options) {
  const auto refuse = [](std::string what) { return Error{Errc::unsupported, std::move(what)}; };
  if (plan.pipelines.size() != 1) {
    return refuse(format("{} replica pipelines: only one is compiled today", plan.pipelines.size()));
  }
  const auto& stages = plan.pipelines[0].stages;
  if (stages.size() != 1) return refuse(format("{} stages: only one is compiled today", stages.size()));
  const auto& stage = stages[0];
  if (stage.sharding != model::Sharding::replicated && stage.sharding != model::Sharding::optimizer) {
    return refuse("sharding of gradients, parameters and ministages is not compiled today");
  }
  if (stage.ministages != 1) return refuse("ministages are not compiled today");
  const bool recompute = std::any_of(stage.recompute.begin(), stage.recompute.end(),
                                     [](auto r) { return r != model::Recompute::none; });
  if (recompute) return refuse("recompute is not compiled today");
  if (stage.offload != model::Offload{}) return refuse("offload is not compiled today");
  const auto scalar = plan.recipe.precision;
  if (scalar != Scalar::fp32 && scalar != Scalar::fp64) {
    return refuse(format("precision {} is not compiled today", name_of(scalar)));
  }
  if (plan.recipe.dropout > 0) return refuse("dropout is not compiled today");
  if (options.purpose != Purpose::training && options.purpose != Purpose::evaluation) {
    return refuse("save and load programs are not compiled today");
  }
  return {};
}

std::vector<program::MicroBatch> deal(const model::Member& member, std::uint32_t sequence) {
  std::vector<program::MicroBatch> out;
  for (auto at = member.samples.begin; at < member.samples.end;) {
    const auto end = std::min(member.samples.end, at + member.micro_batch);
    out.push_back({{end - at, sequence}, {at, end}});
    at = end;
  }
  return out;
}

program::Program header(const model::Plan& plan, Rank rank, CompileOptions options) {
  const auto& stage = plan.pipelines[0].stages[0];
  program::Program out;
  out.purpose = options.purpose;
  out.epoch = plan.epoch;
  out.rank = rank;
  out.ranks = static_cast<std::uint32_t>(stage.group.size());
  out.model = plan.model;
  out.recipe = plan.recipe;
  out.sharding = stage.sharding;
  out.logit_rows = plan.logit_rows;
  out.micro_batches = deal(stage.group[rank.value], plan.recipe.sequence);
  for (std::uint32_t b = 0; b < stage.blocks.size(); ++b) {
    auto& shards = out.shards.emplace_back();
    for (const auto& member : stage.group) shards.ranges.push_back(member.shards[b]);
  }
  return out;
}

}  // namespace

Result<program::Program> compile(const model::Plan& plan, Rank rank,
                                 const program::KernelCatalogue& catalogue, CompileOptions options) {
  const auto reasons = validate(plan);
  if (!reasons.empty()) {
    return error(Errc::invalid_argument, "illegal plan: {}", join(reasons, "; "));
  }
  const auto supported = check_supported(plan, options);
  if (!supported) return supported.error();
  const auto& group = plan.pipelines[0].stages[0].group;
  if (rank.value >= group.size()) {
    return error(Errc::not_found, "the plan has {} devices, no rank {}", group.size(), rank);
  }
  return DataParallel(plan, header(plan, rank, options), catalogue, options).run();
}

}  // namespace frenzy::planner
