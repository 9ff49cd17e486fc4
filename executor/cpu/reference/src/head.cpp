#include <algorithm>
#include <cmath>

#include "frenzy/base/check.hpp"
#include "operations.hpp"

namespace frenzy::executor::cpu::reference {

template <class T>
double cross_entropy(T* logits, const std::int32_t* targets, std::size_t rows,
                     std::size_t vocabulary) {
  double loss = 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    T* const l = logits + row * vocabulary;
    if (targets[row] < 0) {
      std::fill_n(l, vocabulary, T{0});
      continue;
    }
    const auto target = static_cast<std::size_t>(targets[row]);
    FRENZY_CHECK(target < vocabulary);
    const T largest = *std::max_element(l, l + vocabulary);
    const T at_target = l[target];
    T sum = 0;
    for (std::size_t i = 0; i < vocabulary; ++i) sum += l[i] = std::exp(l[i] - largest);
    for (std::size_t i = 0; i < vocabulary; ++i) l[i] /= sum;
    l[target] -= T{1};
    loss += static_cast<double>(std::log(sum) + largest - at_target);
  }
  return loss;
}

namespace {

template <class T>
struct Head {
  Head(BlockViews& views, const BlockCall& call)
      : tokens(call.shape.tokens()), hidden(views.spec().hidden), vocabulary(views.spec().vocabulary),
        logit_rows(program::logit_buffer_rows(call.shape, call.logit_rows)),
        kept(HeadKept<T>::of(views.table(call), call.kept)),
        norm(elements<T>(call.workspace)),
        norm_weight(elements<T>(call.weights) + views.edges().norm_weight),
        norm_bias(elements<T>(call.weights) + views.edges().norm_bias),
        projection(views.tied() ? elements<T>(call.tied_weights) + views.edges().tokens
                                : elements<T>(call.weights) + views.edges().projection),
        logits(elements<T>(call.logits)) {}

  [[nodiscard]] bool whole() const { return logit_rows >= tokens; }
  void normalise(const BlockCall& call) const {
    layer_norm_again<T>(norm, kept.mean, kept.rstd, elements<T>(call.input), norm_weight, norm_bias,
                        tokens, hidden);
  }
  /// The logits' gradient of rows [begin, begin + count) into the logits buffer; returns their loss.
  double classify(const BlockCall& call, std::size_t begin, std::size_t count) const {
    linear<T>(logits, norm + begin * hidden, projection, nullptr, count, hidden, vocabulary);
    return cross_entropy(logits, call.targets.data() + begin, count, vocabulary);
  }
  template <class Piece>
  void for_pieces(Piece piece) const {
    for (std::size_t begin = 0; begin < tokens; begin += logit_rows) {
      piece(begin, std::min(logit_rows, tokens - begin));
    }
  }

  std::size_t tokens, hidden, vocabulary, logit_rows;
  HeadKept<T> kept;
  T* norm;
  const T *norm_weight, *norm_bias, *projection;
  T* logits;
};

}  // namespace

template <class T>
void head_forward(BlockViews& views, const BlockCall& call) {
  const Head<T> head(views, call);
  layer_norm(head.norm, head.kept.mean, head.kept.rstd, elements<T>(call.input), head.norm_weight,
             head.norm_bias, head.tokens, head.hidden, views.spec().norm_epsilon);
  double loss = 0.0;
  head.for_pieces([&](std::size_t begin, std::size_t count) { loss += head.classify(call, begin, count); });
  *call.loss = loss;
}

template <class T>
void head_backward_input(BlockViews& views, const BlockCall& call) {
  const Head<T> head(views, call);
  T* const d_norm = elements<T>(call.deferred);
  if (!head.whole()) head.normalise(call);
  head.for_pieces([&](std::size_t begin, std::size_t count) {
    if (!head.whole()) static_cast<void>(head.classify(call, begin, count));
    linear_backward_input(d_norm + begin * head.hidden, head.logits, head.projection, count,
                          head.hidden, head.vocabulary);
  });
  layer_norm_backward_input<T>(elements<T>(call.input_gradient), nullptr, d_norm,
                               elements<T>(call.input), head.kept.mean, head.kept.rstd,
                               head.norm_weight, head.tokens, head.hidden);
}

template <class T>
void head_backward_weight(BlockViews& views, const BlockCall& call) {
  const Head<T> head(views, call);
  T* const gradient = elements<T>(call.weight_gradient);
  T* const d_projection = views.tied() ? elements<T>(call.tied_gradient) + views.edges().tokens
                                       : gradient + views.edges().projection;
  head.normalise(call);
  head.for_pieces([&](std::size_t begin, std::size_t count) {
    if (!head.whole()) static_cast<void>(head.classify(call, begin, count));
    linear_backward_weight<T>(d_projection, nullptr, head.logits, head.norm + begin * head.hidden,
                              count, head.hidden, head.vocabulary);
  });
  layer_norm_backward_weight<T>(gradient + views.edges().norm_weight,
                                gradient + views.edges().norm_bias, elements<T>(call.deferred),
                                elements<T>(call.input), head.kept.mean, head.kept.rstd, head.tokens,
                                head.hidden);
}

#define FRENZY_INSTANTIATE(T)                                                           \
  template double cross_entropy(T*, const std::int32_t*, std::size_t, std::size_t);     \
  template void head_forward<T>(BlockViews&, const BlockCall&);                         \
  template void head_backward_input<T>(BlockViews&, const BlockCall&);                  \
  template void head_backward_weight<T>(BlockViews&, const BlockCall&)
FRENZY_INSTANTIATE(float);
FRENZY_INSTANTIATE(double);
#undef FRENZY_INSTANTIATE

}  // namespace frenzy::executor::cpu::reference
