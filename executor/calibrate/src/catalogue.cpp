#include "frenzy/executor/calibrate.hpp"

namespace frenzy::executor {

using program::Opcode;

void fill_catalogue(program::KernelCatalogue& catalogue, const Kernels& kernels,
                    std::uint32_t sequence, std::uint32_t most_samples, std::uint32_t threads) {
  for (std::uint32_t samples = 1; samples <= most_samples; ++samples) {
    const program::MicroBatchShape shape{samples, sequence};
    for (const auto kind :
         {model::BlockKind::embedding, model::BlockKind::layer, model::BlockKind::head}) {
      for (const auto opcode : {Opcode::forward, Opcode::evaluate, Opcode::backward}) {
        const auto bytes = kernels.workspace(opcode, kind, shape);
        if (bytes.value > 0) {
          catalogue.set({opcode, kind, shape, kernels.scalar(), threads}, bytes);
        }
      }
    }
  }
}

}  // namespace frenzy::executor
