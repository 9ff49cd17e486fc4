#include "frenzy/memory_profiler/pack.hpp"
#include "frenzy/planner/compile.hpp"

namespace frenzy::planner {

Result<program::PackedProgram> assigned_program(const model::Plan& plan, Rank rank,
                                                const program::KernelCatalogue& catalogue,
                                                CompileOptions options,
                                                const Fingerprint& expected) {
  auto program = compile(plan, rank, catalogue, options);
  if (!program) return program.error();
  const auto found = fingerprint(*program);
  if (found != expected) {
    return error(Errc::conflict, "rank {}: program {} here, {} as planned", rank, found, expected);
  }
  return memory_profiler::pack(std::move(*program));
}

}  // namespace frenzy::planner
