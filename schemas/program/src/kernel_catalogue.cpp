#include "frenzy/program/kernel_catalogue.hpp"

namespace frenzy::program {

Bytes KernelCatalogue::workspace(const KernelKey& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? Bytes{} : found->second;
}

}  // namespace frenzy::program
