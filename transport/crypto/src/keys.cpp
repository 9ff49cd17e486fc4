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

Keys make_keys(Crypto& crypto, const Key& admission) { return {.admission = admission, .identity = crypto.key_pair()}; }

std::string keys_text(const Keys& keys) {
  auto out = format("{}\nadmission {}\nidentity {}\n", kFirstLine, hex(keys.admission), hex(keys.identity.secret));
  if (keys.coordinator) out += format("coordinator {}\n", hex(*keys.coordinator));
  if (keys.role) out += format("role {}\n", name_of(*keys.role));
  return out;
}

namespace {

/// One line after the first, into its place. False if it is none of them.
bool take_line(std::string_view line, Keys& out, bool& admission, bool& identity) {
  const auto words = split(line, ' ');
  if (words.size() != 2) return false;
  if (words[0] == "admission") return admission = parse_hex(words[1], out.admission);
  if (words[0] == "identity") return identity = parse_hex(words[1], out.identity.secret);
  if (words[0] == "coordinator") return parse_hex(words[1], out.coordinator.emplace());
  if (words[0] != "role") return false;
  out.role = parse_user_role(words[1]);
  return out.role.has_value();
}

}  // namespace

Result<Keys> parse_keys(std::string_view text) {
  Keys out;
  bool admission = false, identity = false;
  auto lines = split(text, '\n');
  if (lines.empty() || lines.front() != kFirstLine) {
    return error(Errc::corrupt, "not a key file: the first line is not '{}'", kFirstLine);
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    if (!take_line(lines[i], out, admission, identity)) {
      return error(Errc::corrupt, "line {} is not 'admission', 'identity', 'coordinator' with 64 hex digits, or 'role'", i + 1);
    }
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
