#include "frenzy/base/result.hpp"

namespace frenzy {

std::string_view name_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument: return "invalid_argument";
    case Errc::not_found: return "not_found";
    case Errc::does_not_fit: return "does_not_fit";
    case Errc::unreachable: return "unreachable";
    case Errc::refused: return "refused";
    case Errc::timed_out: return "timed_out";
    case Errc::corrupt: return "corrupt";
    case Errc::io: return "io";
    case Errc::exhausted: return "exhausted";
    case Errc::cancelled: return "cancelled";
    case Errc::unsupported: return "unsupported";
    case Errc::conflict: return "conflict";
    case Errc::internal: return "internal";
  }
  return "unknown";
}

Error at(std::string_view place, Error inner) {
  inner.what = format("{}: {}", place, inner.what);
  return inner;
}

void append_text(std::string& out, const Error& value) { out += value.what; }

}  // namespace frenzy
