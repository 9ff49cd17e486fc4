#include "frenzy/codec/envelope.hpp"

namespace frenzy::codec {

const char* name_of(const Message& message) {
  return std::visit([]<class T>(const T&) { return T::kName; }, message);
}

}  // namespace frenzy::codec
