#include "data_defects.hpp"

#include <cstring>

#include "wrappers.hpp"

namespace frenzy::simulation {
namespace {

using executor::ConstBytes;
using executor::ExchangeDone;
using executor::ExchangeTag;
using executor::MutableBytes;
using program::Opcode;

/// Longer than a step without faults; a lost frame takes longer.
constexpr std::chrono::milliseconds kLate{100};

bool is(const ExchangeTag& tag, Opcode opcode) { return tag.kind / 4 == static_cast<unsigned>(opcode); }

/// A runtime that owns what its parts were wrapped in.
template <class Wrapped>
class RuntimeWith final : public RuntimeWrapper {
 public:
  RuntimeWith(std::unique_ptr<Wrapped> owned, std::unique_ptr<executor::DeviceRuntime> inner)
      : RuntimeWrapper(std::move(inner)), owned_(std::move(owned)) {}

 private:
  std::unique_ptr<Wrapped> owned_;
};

class StaleGather final : public Defect {
  class Wrapped final : public ExchangeWrapper {
   public:
    Wrapped(executor::Exchange& inner, const Clock& clock) : ExchangeWrapper(inner), clock_(clock) {}
    void receive(Rank from, ExchangeTag tag, MutableBytes into, ExchangeDone done) override {
      if (!is(tag, Opcode::gather)) return ExchangeWrapper::receive(from, tag, into, std::move(done));
      const std::vector<std::byte> before(into.begin(), into.end());
      ExchangeWrapper::receive(from, tag, into, [this, into, before, since = clock_.now(), done = std::move(done)](Status status) {
        if (status && !before.empty() && clock_.now() - since > kLate) std::memcpy(into.data(), before.data(), before.size());
        done(std::move(status));
      });
    }

   private:
    const Clock& clock_;
  };

 public:
  std::unique_ptr<executor::DeviceRuntime> runtime(const DeviceSetting& setting, const executor::RuntimeParts& parts) override {
    auto wrapped = std::make_unique<Wrapped>(*parts.exchange, setting.tasks->clock());
    auto changed = parts;
    changed.exchange = wrapped.get();
    auto inner = make_simulated_runtime(setting, changed);
    return std::make_unique<RuntimeWith<Wrapped>>(std::move(wrapped), std::move(inner));
  }
};

class EarlyCompletion final : public Defect {
  class Wrapped final : public RuntimeWrapper {
   public:
    Wrapped(std::unique_ptr<executor::DeviceRuntime> inner, const program::Program& program, Tasks& tasks)
        : RuntimeWrapper(std::move(inner)), program_(program), tasks_(tasks) {}
    ~Wrapped() override { *alive_ = false; }
    Wrapped(const Wrapped&) = delete;
    Wrapped& operator=(const Wrapped&) = delete;
    Wrapped(Wrapped&&) = delete;
    Wrapped& operator=(Wrapped&&) = delete;
    void start(InstructionIndex index, const executor::StepContext& context, executor::InstructionDone done) override {
      if (program_.instructions[index.value].opcode != Opcode::reduce) return RuntimeWrapper::start(index, context, std::move(done));
      const auto once = [told = std::make_shared<bool>(false), done = std::move(done)](const Status& status) {
        if (!std::exchange(*told, true)) done(status);
      };
      tasks_.at(tasks_.clock().now() + kLate, [alive = alive_, once] {
        const Status complete;
        if (*alive) once(complete);
      });
      RuntimeWrapper::start(index, context, once);
    }

   private:
    const program::Program& program_;
    Tasks& tasks_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  };

 public:
  std::unique_ptr<executor::DeviceRuntime> runtime(const DeviceSetting& setting, const executor::RuntimeParts& parts) override {
    return std::make_unique<Wrapped>(make_simulated_runtime(setting, parts), parts.program->program, *setting.tasks);
  }
};

class RoundedOffset final : public Defect {
  class Wrapped final : public ExchangeWrapper {
   public:
    Wrapped(executor::Exchange& inner, const std::byte* arena, Rank rank) : ExchangeWrapper(inner), arena_(arena), rank_(rank) {}
    void send(Rank to, ExchangeTag tag, ConstBytes bytes, ExchangeDone done) override {
      const bool leaves = home(to) != home(rank_);
      const auto inside = leaves && is(tag, Opcode::reduce) && !bytes.empty() ? static_cast<std::size_t>(bytes.data() - arena_) % 64 : 0;
      ExchangeWrapper::send(to, tag, {bytes.data() - inside, bytes.size()}, std::move(done));
    }

   private:
    const std::byte* arena_;
    Rank rank_;
  };

 public:
  std::unique_ptr<executor::DeviceRuntime> runtime(const DeviceSetting& setting, const executor::RuntimeParts& parts) override {
    auto wrapped = std::make_unique<Wrapped>(*parts.exchange, parts.arena.data(), parts.program->program.rank);
    auto changed = parts;
    changed.exchange = wrapped.get();
    auto inner = make_simulated_runtime(setting, changed);
    return std::make_unique<RuntimeWith<Wrapped>>(std::move(wrapped), std::move(inner));
  }
};

class DoubledSample final : public Defect {
  class Wrapped final : public executor::Samples {
   public:
    Wrapped(executor::Samples& inner, std::uint32_t whole) : inner_(inner), whole_(whole) {}
    Status fill(Step step, model::SampleRange numbers, std::uint32_t sequence, std::span<std::int32_t> tokens,
                std::span<std::int32_t> targets) override {
      if (numbers.size() < whole_) {
        numbers.begin -= 1;
        numbers.end -= 1;
      }
      return inner_.fill(step, numbers, sequence, tokens, targets);
    }

   private:
    executor::Samples& inner_;
    std::uint32_t whole_;
  };

 public:
  std::unique_ptr<executor::DeviceRuntime> runtime(const DeviceSetting& setting, const executor::RuntimeParts& parts) override {
    const auto& program = parts.program->program;
    if (program.epoch.value < 2 || program.micro_batches.empty()) return make_simulated_runtime(setting, parts);
    auto wrapped = std::make_unique<Wrapped>(*parts.samples, program.micro_batches.front().samples.size());
    auto changed = parts;
    changed.samples = wrapped.get();
    auto inner = make_simulated_runtime(setting, changed);
    return std::make_unique<RuntimeWith<Wrapped>>(std::move(wrapped), std::move(inner));
  }
};

}  // namespace

std::unique_ptr<Defect> stale_gather() { return std::make_unique<StaleGather>(); }
std::unique_ptr<Defect> early_completion() { return std::make_unique<EarlyCompletion>(); }
std::unique_ptr<Defect> rounded_offset() { return std::make_unique<RoundedOffset>(); }
std::unique_ptr<Defect> doubled_sample() { return std::make_unique<DoubledSample>(); }

}  // namespace frenzy::simulation
