#pragma once
// compile(plan, rank) -> program: the static list of instructions and buffers of one step on one
// device. Pure and deterministic: planner and device compile the same plan to the same fingerprint.
//
// Today: one pipeline of one stage (data parallel), sharding `replicated` and `optimizer`. Everything
// else is refused by name with unsupported. Cost: O(blocks x micro-batches).

#include "frenzy/program/kernel_catalogue.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::planner {

struct CompileOptions {
  program::Purpose purpose = program::Purpose::training;
  std::uint32_t threads = 1;  ///< kernel threads of the device; part of the catalogue's key
};

/// Errors: invalid_argument with every reason if the plan is illegal; unsupported naming what is not
/// compiled yet; not_found if the plan has no such rank.
[[nodiscard]] Result<program::Program> compile(const model::Plan& plan, Rank rank,
                                               const program::KernelCatalogue& catalogue,
                                               CompileOptions options);

/// What a device does with an assigned plan: compile, compare with the planner's fingerprint, pack.
/// Errors: compile's; conflict naming both fingerprints.
[[nodiscard]] Result<program::PackedProgram> assigned_program(
    const model::Plan& plan, Rank rank, const program::KernelCatalogue& catalogue,
    CompileOptions options, const Fingerprint& expected);

}  // namespace frenzy::planner
