#include <dlfcn.h>

#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "frenzy/base/check.hpp"
#include "gemm.hpp"

namespace frenzy::executor::cpu {
namespace {

using Tag = dnnl::memory::data_type;

// oneDNN takes its thread count from its OpenMP runtime, per calling thread. Asked by name, because
// which runtime it brings (GNU's, LLVM's, none) is the package's choice.
void use_one_thread() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  using SetThreads = void (*)(int);
  if (auto* const set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

dnnl::memory::dim dim(std::size_t value) { return static_cast<dnnl::memory::dim>(value); }

dnnl::memory::desc matrix(std::size_t rows, std::size_t columns, std::size_t stride, Transpose transpose) {
  const dnnl::memory::dims strides = transpose == Transpose::no ? dnnl::memory::dims{dim(stride), 1}
                                                                : dnnl::memory::dims{1, dim(stride)};
  return {{dim(rows), dim(columns)}, Tag::f32, strides};
}

dnnl::matmul::primitive_desc describe(const GemmShape& s, dnnl::scratchpad_mode mode,
                                      const dnnl::engine& engine) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(mode);
  if (s.accumulate == Accumulate::yes) {
    dnnl::post_ops add;
    add.append_sum(1.0F);
    attributes.set_post_ops(add);
  }
  const dnnl::matmul::desc product(matrix(s.m, s.k, s.a_stride, s.a), matrix(s.k, s.n, s.b_stride, s.b),
                                   matrix(s.m, s.n, s.c_stride, Transpose::no));
  return {product, attributes, engine};
}

/// A primitive with its arguments; only the pointers change between calls.
struct Product {
  Product(const dnnl::matmul::primitive_desc& d, const dnnl::engine& engine)
      : primitive(d), a(d.src_desc(), engine, nullptr), b(d.weights_desc(), engine, nullptr),
        c(d.dst_desc(), engine, nullptr), scratch(d.scratchpad_desc(), engine, nullptr),
        scratch_size(d.scratchpad_desc().get_size()) {}
  dnnl::matmul primitive;
  dnnl::memory a, b, c, scratch;
  std::size_t scratch_size;
};

class OnednnGemm final : public Gemm {
 public:
  void run(const GemmShape& shape, float* c, const float* a, const float* b, GemmScratch scratch) override {
    if (shape.m == 0 || shape.n == 0) return;
    Product* product = find({shape, dnnl::scratchpad_mode::user});
    if (product != nullptr && product->scratch_size > scratch.size) {
      product = find({shape, dnnl::scratchpad_mode::library});
    }
    if (product == nullptr) {
      plain_->run(shape, c, a, b, {});
      return;
    }
    execute(*product, c, a, b, scratch);
  }

  Bytes scratch_bytes(const GemmShape& shape) override {
    const Product* const product = find({shape, dnnl::scratchpad_mode::user});
    return {product == nullptr ? 0 : product->scratch_size};
  }

 private:
  using Key = std::pair<GemmShape, dnnl::scratchpad_mode>;

  /// Null where there is nothing to multiply and where oneDNN refuses the shape.
  Product* find(const Key& key) {
    const auto found = products_.find(key);
    if (found != products_.end()) return found->second.get();
    use_one_thread();
    const auto& [shape, mode] = key;
    std::unique_ptr<Product> made;
    try {
      if (shape.m > 0 && shape.n > 0 && shape.k > 0) {
        made = std::make_unique<Product>(describe(shape, mode, engine_), engine_);
      }
    } catch (const dnnl::error&) {
      made.reset();
    }
    return products_.emplace(key, std::move(made)).first->second.get();
  }

  void execute(Product& product, float* c, const float* a, const float* b, GemmScratch scratch) {
    use_one_thread();
    product.a.set_data_handle(const_cast<float*>(a));
    product.b.set_data_handle(const_cast<float*>(b));
    product.c.set_data_handle(c);
    product.scratch.set_data_handle(scratch.data);
    bool failed = false;
    try {
      product.primitive.execute(stream_, {{DNNL_ARG_SRC, product.a}, {DNNL_ARG_WEIGHTS, product.b},
                                          {DNNL_ARG_DST, product.c}, {DNNL_ARG_SCRATCHPAD, product.scratch}});
      stream_.wait();
    } catch (const dnnl::error&) {
      failed = true;
    }
    FRENZY_CHECK(!failed);
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::map<Key, std::unique_ptr<Product>> products_;
  std::unique_ptr<Gemm> plain_ = make_plain_gemm();
};

}  // namespace

std::unique_ptr<Gemm> make_onednn_gemm() { return std::make_unique<OnednnGemm>(); }

}  // namespace frenzy::executor::cpu
