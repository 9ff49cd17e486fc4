#include "frenzy/base/check.hpp"
#include "operations.hpp"

namespace frenzy::executor::cpu::reference {

template <class T>
void embedding_forward(BlockViews& views, const BlockCall& call) {
  const std::size_t width = views.spec().hidden;
  const T* const words = elements<T>(call.weights) + views.edges().tokens;
  const T* const positions = elements<T>(call.weights) + views.edges().positions;
  T* const out = elements<T>(call.output);
  for (std::size_t row = 0; row < call.shape.tokens(); ++row) {
    const auto token = static_cast<std::size_t>(call.tokens[row]);
    FRENZY_CHECK(token < views.spec().vocabulary);
    const std::size_t position = row % call.shape.sequence;
    for (std::size_t i = 0; i < width; ++i) {
      out[row * width + i] = words[token * width + i] + positions[position * width + i];
    }
  }
}

template <class T>
void embedding_backward_weight(BlockViews& views, const BlockCall& call) {
  const std::size_t width = views.spec().hidden;
  T* const words = elements<T>(call.weight_gradient) + views.edges().tokens;
  T* const positions = elements<T>(call.weight_gradient) + views.edges().positions;
  const T* const d_out = elements<T>(call.output_gradient);
  for (std::size_t row = 0; row < call.shape.tokens(); ++row) {
    const auto token = static_cast<std::size_t>(call.tokens[row]);
    const std::size_t position = row % call.shape.sequence;
    for (std::size_t i = 0; i < width; ++i) {
      words[token * width + i] += d_out[row * width + i];
      positions[position * width + i] += d_out[row * width + i];
    }
  }
}

template void embedding_forward<float>(BlockViews&, const BlockCall&);
template void embedding_forward<double>(BlockViews&, const BlockCall&);
template void embedding_backward_weight<float>(BlockViews&, const BlockCall&);
template void embedding_backward_weight<double>(BlockViews&, const BlockCall&);

}  // namespace frenzy::executor::cpu::reference
