#include "frenzy/crypto/keys.hpp"

#include <sodium.h>

#include "frenzy/base/text.hpp"

namespace frenzy::crypto {

using namespace transport;

namespace {
constexpr std::string_view kFirstLine = "frenzy-keys 1";
constexpr Bytes kMaxKeyFile{4096};
}  // namespace

Key public_key_of(const Key& secret) {
  Key out{};
  crypto_scalarmult_base(out.data(), secret.data());
  return out;
}

Keys make_keys(Crypto& crypto) {
  Key admission{};
  crypto.random(admission);
  return make_keys(crypto, admission);
}

Keys make_keys(Crypto& crypto, const Key& admission) { return {admission, crypto.key_pair()}; }

std::string keys_text(const Keys& keys) {
  return format("{}\nadmission {}\nidentity {}\n", kFirstLine, hex(keys.admission),
                hex(keys.identity.secret));
}

Result<Keys> parse_keys(std::string_view text) {
  Keys out;
  bool admission = false, identity = false;
  auto lines = split(text, '\n');
  if (lines.empty() || lines.front() != kFirstLine) {
    return error(Errc::corrupt, "not a key file: the first line is not '{}'", kFirstLine);
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto words = split(lines[i], ' ');
    const bool known = words.size() == 2 && (words[0] == "admission" || words[0] == "identity");
    Key& key = known && words[0] == "admission" ? out.admission : out.identity.secret;
    if (!known || !parse_hex(words[1], key)) {
      return error(Errc::corrupt, "line {} is not 'admission' or 'identity' and 64 hex digits", i + 1);
    }
    (words[0] == "admission" ? admission : identity) = true;
  }
  if (!admission || !identity) return error(Errc::corrupt, "admission or identity key is missing");
  out.identity.public_key = public_key_of(out.identity.secret);
  return out;
}

Result<Keys> load_keys(Files& files, const std::string& path) {
  if (!files.exists(path)) return error(Errc::not_found, "key file {} does not exist", path);
  auto text = files.read_text(path, kMaxKeyFile);
  if (!text) return text.error();
  auto keys = parse_keys(*text);
  if (!keys) return at(path, keys.error());
  return keys;
}

Status save_keys(Files& files, const std::string& path, const Keys& keys) {
  return files.write_text(path, keys_text(keys), FileMode::secret);
}

}  // namespace frenzy::crypto
