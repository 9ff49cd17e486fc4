#include "frenzy/executor/cpu/reference/reference_kernels.hpp"

#include <type_traits>

#include "frenzy/base/check.hpp"
#include "operations.hpp"

namespace frenzy::executor::cpu::reference {
namespace {

template <class T>
constexpr model::Scalar kScalar = std::is_same_v<T, double> ? model::Scalar::fp64 : model::Scalar::fp32;

}  // namespace

template <class T>
ReferenceKernels<T>::ReferenceKernels(const model::ModelSpec& spec) : views_(spec, kScalar<T>) {}

template <class T>
model::Scalar ReferenceKernels<T>::scalar() const {
  return kScalar<T>;
}

template <class T>
void ReferenceKernels<T>::forward(const BlockCall& call) {
  switch (call.kind) {
    case model::BlockKind::embedding: return embedding_forward<T>(views_, call);
    case model::BlockKind::layer: return layer_forward<T>(views_, call);
    case model::BlockKind::head: return head_forward<T>(views_, call);
  }
}

template <class T>
void ReferenceKernels<T>::evaluate(const BlockCall& call) {
  forward(call);
}

template <class T>
void ReferenceKernels<T>::backward_input(const BlockCall& call) {
  switch (call.kind) {
    case model::BlockKind::embedding: return;
    case model::BlockKind::layer: return layer_backward_input<T>(views_, call);
    case model::BlockKind::head: return head_backward_input<T>(views_, call);
  }
}

template <class T>
void ReferenceKernels<T>::backward_weight(const BlockCall& call) {
  switch (call.kind) {
    case model::BlockKind::embedding: return embedding_backward_weight<T>(views_, call);
    case model::BlockKind::layer: return layer_backward_weight<T>(views_, call);
    case model::BlockKind::head: return head_backward_weight<T>(views_, call);
  }
}

template <class T>
void ReferenceKernels<T>::optimize(const OptimizerCall& call) {
  reference::optimize<T>(call);
}

template <class T>
double ReferenceKernels<T>::squared_norm(ConstBytes gradient) {
  const T* const g = elements<T>(gradient);
  double sum = 0.0;
  for (std::size_t i = 0; i < gradient.size() / sizeof(T); ++i) {
    sum += static_cast<double>(g[i]) * static_cast<double>(g[i]);
  }
  return sum;
}

template <class T>
void ReferenceKernels<T>::add(MutableBytes into, ConstBytes from) {
  FRENZY_CHECK(into.size() == from.size());
  for (std::size_t i = 0; i < into.size() / sizeof(T); ++i) elements<T>(into)[i] += elements<T>(from)[i];
}

template <class T>
Bytes ReferenceKernels<T>::workspace(program::Opcode, model::BlockKind, program::MicroBatchShape) const {
  return {};
}

template <class T>
Seconds ReferenceKernels<T>::helper_cpu_time() const {
  return {};
}

template class ReferenceKernels<float>;
template class ReferenceKernels<double>;

}  // namespace frenzy::executor::cpu::reference
