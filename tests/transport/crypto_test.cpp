#include "frenzy/crypto/crypto.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/memory_files.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/crypto/keys.hpp"

#include <catch2/catch.hpp>

using namespace frenzy;
using namespace frenzy::transport;

namespace {

std::unique_ptr<Crypto> sodium() { return std::move(crypto::make_crypto()).value(); }

Key counting_key() {
  Key key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

Key key_of(std::string_view digits) {
  Key key{};
  REQUIRE(parse_hex(digits, key));
  return key;
}

std::string hex_of(std::span<const std::byte> bytes) {
  return hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::string sealed_text(AeadKind kind) {
  const auto aead = sodium()->aead(kind, counting_key());
  const auto plain = bytes_of("attack at dawn");
  std::vector<std::byte> out(plain.size());
  const auto tag = aead->seal(7, bytes_of("header"), plain, out);
  return hex_of(out) + hex_of(tag);
}

}  // namespace

TEST_CASE("content digests are BLAKE2b-256", "[crypto]") {
  const auto hashing = crypto::make_content_hashing();
  CHECK(format("{}", hashing->digest(bytes_of("abc"))) ==
        "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  CHECK(format("{}", hashing->digest({})) ==
        "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  const auto hasher = hashing->start();
  hasher->update(bytes_of("a"));
  hasher->update(bytes_of("bc"));
  CHECK(hasher->finish() == hashing->digest(bytes_of("abc")));
}

TEST_CASE("message codes are keyed BLAKE2b-256", "[crypto]") {
  CHECK(hex(sodium()->mac(counting_key(), bytes_of("message"))) ==
        "2615bcafac3ebcd31940a8f15d876916435d805823d2db78c201a8e94624a0ae");
}

TEST_CASE("both ciphers agree with OpenSSL on a nonce made of a counter", "[crypto]") {
  CHECK(sealed_text(AeadKind::chacha20poly1305) ==
        "907bf02941835ae816162a528be6929dd6c1d788dd62513fcbd135b4face");
  if ((sodium()->aead_kinds() & static_cast<unsigned>(AeadKind::aes256gcm)) != 0) {
    CHECK(sealed_text(AeadKind::aes256gcm) ==
          "99d089842e9c27e2602a11d3c56324eae69f30ea31f561ebd4fb0efd6d0a");
  }
}

namespace {

struct LongText {
  AeadKind kind;
  std::size_t bytes;
  std::string tag, digest;  // of the sealed text, as libsodium alone makes them
};

bool usable(AeadKind kind) { return (sodium()->aead_kinds() & static_cast<unsigned>(kind)) != 0; }

std::vector<std::byte> text_of(std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 31 % 251);
  return out;
}

}  // namespace

TEST_CASE(
    "texts short and long, on both sides of the change of library, seal as libsodium seals them",
    "[crypto]") {
  const auto gcm = AeadKind::aes256gcm, chacha = AeadKind::chacha20poly1305;
  const auto texts =
      std::vector<LongText>{{gcm, 2047, "de762119624bf9e1dede7f62a8cc06cd",
                             "fc7d003a7ac6a5c4f10993ab637ec32a7f736b446394651af34dbd1879fccba9"},
                            {gcm, 2048, "731fbe49d7a363a51e771b344708bc18",
                             "30995299dc8c0b001141621e4aed737fa140a9585390f2a50c2a9b67b0963257"},
                            {gcm, 100003, "971764a9c76b7fb55bf1c56d00ee24c6",
                             "b64283dfd29f3405339fdeae36e72f709cbdbe8e0d1995358fc62fab07d01731"},
                            {chacha, 2047, "5b2b90462f296893166a99baaf3d25c6",
                             "3d21a401146b1587e6ba1760e7d2c418c76dedf3749d21f602cd679c3d167318"},
                            {chacha, 2048, "57869ba3fdee0b124559a4d5a84ded72",
                             "597c15300c03045a33f4b9f1abbc121ea53c8b111aa5a09689970a425d0c3f93"},
                            {chacha, 100003, "ae46c96f7a2727544e39e07cc28ee2ad",
                             "c8ed3e0636158858462b0cf0f5525dc09c32a5858ec6f3284ad9be794d792c05"}};
  for (const auto& t : texts) {
    if (!usable(t.kind)) continue;
    const auto aead = sodium()->aead(t.kind, counting_key());
    auto text = text_of(t.bytes);
    const auto tag = aead->seal(7, bytes_of("header"), text, text);
    CHECK(hex_of(tag) == t.tag);
    CHECK(format("{}", crypto::make_content_hashing()->digest(text)) == t.digest);
    REQUIRE(aead->open(7, bytes_of("header"), text, tag));
    CHECK(text == text_of(t.bytes));
  }
}

TEST_CASE("bodies that are only authenticated carry the tag that libsodium gives them",
          "[crypto]") {
  const auto tags = std::vector<std::pair<std::size_t, std::string>>{
      {2047, "1d78af5d13490eddf6ac3a5f9edee601"},
      {2048, "f602c7fe3a043ef78750585eecf2e78a"},
      {100003, "1fc23161bdf03f793c46becb5f6b4fc7"}};
  const auto aead = sodium()->aead(AeadKind::chacha20poly1305, counting_key());
  for (const auto& [bytes, expected] : tags) {
    auto text = text_of(bytes);
    const auto tag = aead->seal(7, text, {}, {});
    CHECK(hex_of(tag) == expected);
    CHECK(aead->open(7, text, {}, tag));
    text.back() ^= std::byte{1};
    CHECK_FALSE(aead->open(7, text, {}, tag));
  }
}

TEST_CASE("one key seals and opens by turns, and a refused text spoils nothing after it",
          "[crypto]") {
  for (const auto kind : {AeadKind::aes256gcm, AeadKind::chacha20poly1305}) {
    if (!usable(kind)) continue;
    const auto aead = sodium()->aead(kind, counting_key());
    for (std::uint64_t counter = 0; counter < 6; ++counter) {
      const auto plain = text_of(counter % 2 == 0 ? 5000 : 100);
      auto text = plain;
      const auto tag = aead->seal(counter, bytes_of("head"), text, text);
      for (const auto at : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
        auto broken = text;
        broken[at] ^= std::byte{0x80};
        CHECK_FALSE(aead->open(counter, bytes_of("head"), broken, tag));
      }
      CHECK_FALSE(aead->open(counter + 1, bytes_of("head"), std::span(text).first(0), tag));
      REQUIRE(aead->open(counter, bytes_of("head"), text, tag));
      CHECK(text == plain);
    }
  }
}

TEST_CASE("key agreement follows RFC 7748 and refuses points of low order", "[crypto]") {
  const auto c = sodium();
  const auto alice = key_of("77076d0a7318a57d3c16c17251b26645c6b8d5a3d7b0d4b9f1d1f0a0b0c0d0e0");
  const auto secret = key_of("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
  const auto point = key_of("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
  const auto shared = c->agree(secret, point);
  REQUIRE(shared);
  CHECK(hex(*shared) == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
  CHECK_FALSE(c->agree(alice, Key{}));
  const auto a = c->key_pair(), b = c->key_pair();
  CHECK(c->agree(a.secret, b.public_key) == c->agree(b.secret, a.public_key));
  CHECK(a.public_key == crypto::public_key_of(a.secret));
}

TEST_CASE("a changed byte anywhere breaks the seal", "[crypto]") {
  const auto c = sodium();
  for (const auto kind : {AeadKind::aes256gcm, AeadKind::chacha20poly1305}) {
    if ((c->aead_kinds() & static_cast<unsigned>(kind)) == 0) continue;
    const auto aead = c->aead(kind, counting_key());
    std::vector<std::byte> text(40, std::byte{5});
    const auto tag = aead->seal(1, bytes_of("head"), text, text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      auto copy = text;
      copy[i] ^= std::byte{1};
      CHECK_FALSE(aead->open(1, bytes_of("head"), copy, tag));
    }
    auto copy = text;
    CHECK_FALSE(aead->open(2, bytes_of("head"), copy, tag));
    copy = text;
    CHECK_FALSE(aead->open(1, bytes_of("heaD"), copy, tag));
    copy = text;
    REQUIRE(aead->open(1, bytes_of("head"), copy, tag));
    CHECK(copy == std::vector<std::byte>(40, std::byte{5}));
  }
}

TEST_CASE("a key file may pin a coordinator and say a role, and says neither by itself",
          "[crypto]") {
  const auto c = sodium();
  auto keys = crypto::make_keys(*c);
  auto plain = crypto::parse_keys(crypto::keys_text(keys));
  REQUIRE(plain.ok());
  CHECK_FALSE(plain->coordinator.has_value());
  CHECK_FALSE(plain->role.has_value());
  keys.coordinator = c->key_pair().public_key;
  keys.role = UserRole::read;
  const auto text = crypto::keys_text(keys);
  const auto full = crypto::parse_keys(text);
  REQUIRE(full.ok());
  CHECK(full->coordinator == keys.coordinator);
  CHECK(full->role == UserRole::read);
  CHECK_FALSE(crypto::parse_keys(text + "role root\n").ok());
  CHECK_FALSE(crypto::parse_keys(text + "coordinator 12\n").ok());
  CHECK_FALSE(crypto::parse_keys(text + "comment x\n").ok());
}

TEST_CASE("keys survive their file and a broken file is refused without quoting it", "[crypto]") {
  const auto c = sodium();
  MemoryFiles files;
  const auto keys = crypto::make_keys(*c);
  REQUIRE(crypto::save_keys(files, "/state/keys", keys).ok());
  const auto again = crypto::load_keys(files, "/state/keys");
  REQUIRE(again.ok());
  CHECK(again->admission == keys.admission);
  CHECK(again->identity.secret == keys.identity.secret);
  CHECK(again->identity.public_key == keys.identity.public_key);
  auto text = crypto::keys_text(keys);
  text.resize(text.size() - 3);
  const auto broken = crypto::parse_keys(text);
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().what.find(hex(keys.identity.secret).substr(0, 8)) == std::string::npos);
  CHECK(crypto::load_keys(files, "/state/none").error().code == Errc::not_found);
}
