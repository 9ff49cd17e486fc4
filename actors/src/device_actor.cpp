#include "device_actor.hpp"

#include "worker.hpp"

namespace frenzy::actors {
namespace {

class DeviceActor final : public WorkingActor {
 public:
  DeviceActor(caf::actor_config& config, DeviceParts parts)
      : WorkingActor(config, parts.env, "device"),
        parts_(std::move(parts)),
        ledger_(parts_.device.name, parts_.device.free) {}

  caf::behavior make_behavior() override {
    return {
        [this](const Msg<ReserveBytes>& m) {
          auto got = ledger_.reserve(m->job, m->epoch, m->bytes, env().now(), m->time_to_live);
          if (got) {
            changed();
            remind(m->time_to_live, ExpireReservations{});
          }
          return msg(std::move(got));
        },
        [this](const Msg<AdmitProgram>& m) { return admit(m); },
        [this](const Msg<MakeFirm>& m) { return msg(ledger_.make_firm(m->job, m->epoch, env().now())); },
        [this](const Msg<ReleaseBytes>& m) {
          ledger_.release(m->job, m->epoch);
          changed();
        },
        [this](const Msg<ExpireReservations>&) {
          if (!ledger_.expire(env().now()).empty()) changed();
        },
    };
  }

  void on_exit() override { parts_.node = parts_.worker = nullptr; }

 private:
  void changed() { send_to(parts_.node, LedgerChanged{parts_.device.id, ledger_.free(), ledger_.entries()}); }

  caf::response_promise admit(const Msg<AdmitProgram>& m) {
    auto promise = make_response_promise();
    work<Result<CompiledProgram>>(
        parts_.worker, [compile = parts_.compile, m, device = parts_.device.id] { return compile(m->plan, device); },
        [this, promise, m](const Result<CompiledProgram>& got) mutable { promise.deliver(msg(judge(*m, got))); });
    return promise;
  }

  [[nodiscard]] Status judge(const AdmitProgram& m, const Result<CompiledProgram>& got) const {
    if (!got) return at(parts_.device.name, got.error());
    if (got->program != m.expected.program) {
      return error(Errc::conflict, "{} compiles the plan to program {}, the planner to {}: their versions differ",
                   parts_.device.name, got->program, m.expected.program);
    }
    for (const auto& entry : ledger_.entries()) {
      if (entry.job != m.job || entry.epoch != m.epoch) continue;
      if (got->arena <= entry.bytes) return {};
      return error(Errc::does_not_fit, "{} reserved {}, the program's arena is {}", parts_.device.name, entry.bytes, got->arena);
    }
    return error(Errc::not_found, "{} holds no reservation of epoch {} of job {}", parts_.device.name, m.epoch, m.job);
  }

  DeviceParts parts_;
  lifecycle::Ledger ledger_;
};

}  // namespace

caf::actor spawn_device(caf::actor_system& system, DeviceParts parts) {
  return system.spawn<DeviceActor>(std::move(parts));
}

}  // namespace frenzy::actors
