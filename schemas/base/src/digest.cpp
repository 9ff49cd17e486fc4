#include "frenzy/base/digest.hpp"

#include "frenzy/base/text.hpp"

namespace frenzy {

Result<ContentDigest> ContentDigest::parse(std::string_view text) {
  ContentDigest out;
  if (!parse_hex(text, out.bytes)) {
    return error(Errc::invalid_argument, "'{}' is not a digest of 64 hexadecimal digits",
                 printable(text, 80));
  }
  return out;
}

void append_text(std::string& out, const ContentDigest& value) { out += hex(value.bytes); }

}  // namespace frenzy
