#include "handshake.hpp"

#include <algorithm>
#include <cstring>

#include "frenzy/base/byte_io.hpp"

namespace frenzy::transport {

namespace {

constexpr std::string_view kCallLabel = "frenzy hello";
constexpr std::string_view kAnswerLabel = "frenzy answer";

std::vector<std::byte> joined(std::string_view label, std::span<const std::byte> a,
                              std::span<const std::byte> b = {}) {
  ByteWriter out;
  out.write(bytes_of(label));
  out.write(a);
  out.write(b);
  return out.take();
}

std::span<const std::byte> view(const Key& key) { return std::as_bytes(std::span(key)); }

std::optional<AeadKind> best_of(unsigned common) {
  for (const auto kind : {AeadKind::aes256gcm, AeadKind::chacha20poly1305, AeadKind::toy}) {
    if ((common & static_cast<unsigned>(kind)) != 0) return kind;
  }
  return std::nullopt;
}

}  // namespace

Handshake::Handshake(Parts parts, const Uuid& target)
    : parts_(std::move(parts)), caller_(parts_.link.outgoing), target_(target) {
  ephemeral_ = parts_.crypto.key_pair();
  if (caller_) {
    admission_key_ = parts_.options.admission_key;
    key_id_ = key_id_of(parts_.crypto, admission_key_);
  }
}

Handshake::Step Handshake::fail(Errc code, AlertCode tell, std::string text) const {
  return HandshakeFailure{Error{code, format("{}: {}", route_of(parts_.link), text)},
                          Alert{parts_.options.protocol_version, tell, std::move(text)}};
}

Handshake::Step Handshake::check_version(std::uint16_t theirs) const {
  const auto ours = parts_.options.protocol_version;
  if (theirs == ours) return std::nullopt;
  return HandshakeFailure{error(Errc::refused, "{}: this side speaks protocol {}, the other side {}",
                                route_of(parts_.link), ours, theirs),
                          Alert{ours, AlertCode::wrong_version,
                                format("protocol {} here, {} there", ours, theirs)}};
}

Hello Handshake::make_hello(std::uint8_t ciphers, const Uuid& target) const {
  Hello out;
  out.version = parts_.options.protocol_version;
  out.ciphers = ciphers;
  out.key_id = key_id_;
  out.target = target;
  out.ephemeral = ephemeral_.public_key;
  parts_.crypto.random(out.nonce);
  return out;
}

Key Handshake::hello_mac(std::string_view label, std::span<const std::byte> hello) const {
  return parts_.crypto.mac(admission_key_, joined(label, transcript_, hello.first(kHelloSigned)));
}

std::vector<std::byte> Handshake::start() {
  FRENZY_CHECK(caller_ && transcript_.empty());
  auto hello = make_hello(parts_.crypto.aead_kinds(), target_);
  hello.mac = hello_mac(kCallLabel, encode(hello));
  transcript_ = encode(hello);
  return transcript_;
}

Handshake::Step Handshake::check_hello(std::span<const std::byte> bytes) {
  FRENZY_CHECK(!caller_ && !hello_checked_);
  const auto head = decode_packet_head(bytes);
  if (!head) return fail(Errc::corrupt, AlertCode::malformed, head.error().what);
  if (auto wrong = check_version(head->version)) return wrong;
  const auto hello = decode_hello(bytes);
  if (!hello) return fail(Errc::corrupt, AlertCode::malformed, hello.error().what);
  const auto key = parts_.admission.key(hello->key_id);
  if (!key) return fail(Errc::refused, AlertCode::unknown_key, "the admission key is not known here");
  admission_key_ = *key;
  if (!parts_.crypto.equal(hello_mac(kCallLabel, bytes), hello->mac)) {
    return fail(Errc::refused, AlertCode::unknown_key, "the admission key is wrong");
  }
  key_id_ = hello->key_id;
  theirs_hello_ = *hello;
  transcript_.assign(bytes.begin(), bytes.end());
  hello_checked_ = true;
  return std::nullopt;
}

Handshake::Step Handshake::answer(std::vector<std::byte>& reply) {
  const auto cipher =
      best_of(static_cast<unsigned>(theirs_hello_.ciphers) & parts_.crypto.aead_kinds());
  if (!cipher) {
    return fail(Errc::unsupported, AlertCode::no_common_cipher, "the two sides share no cipher");
  }
  cipher_ = *cipher;
  auto hello = make_hello(static_cast<std::uint8_t>(cipher_), Uuid{});
  hello.mac = hello_mac(kAnswerLabel, encode(hello));
  reply = encode(hello);
  transcript_.insert(transcript_.end(), reply.begin(), reply.end());
  answered_ = true;
  return make_root();
}

Handshake::Step Handshake::make_root() {
  const auto ee = parts_.crypto.agree(ephemeral_.secret, theirs_hello_.ephemeral);
  if (!ee) return fail(Errc::corrupt, AlertCode::malformed, "an ephemeral key of low order");
  root_ = parts_.crypto.mac(admission_key_, joined("frenzy root", view(*ee), transcript_));
  chain_ = root_;
  return std::nullopt;
}

bool Handshake::extend(const Key& secret, const Key& public_key) {
  const auto shared = parts_.crypto.agree(secret, public_key);
  if (!shared) return false;
  chain_ = parts_.crypto.mac(chain_, joined("frenzy chain", view(*shared)));
  return true;
}

Handshake::Step Handshake::on_answer(std::span<const std::byte> bytes,
                                     std::vector<std::byte>& reply) {
  const auto hello = decode_hello(bytes);
  if (!hello) return fail(Errc::corrupt, AlertCode::malformed, hello.error().what);
  if (!parts_.crypto.equal(hello_mac(kAnswerLabel, bytes), hello->mac)) {
    return fail(Errc::refused, AlertCode::unknown_key, "the other side holds a wrong admission key");
  }
  const auto cipher = best_of(hello->ciphers & parts_.crypto.aead_kinds());
  if (!cipher || static_cast<std::uint8_t>(*cipher) != hello->ciphers) {
    return fail(Errc::unsupported, AlertCode::no_common_cipher, "the other side chose an unknown cipher");
  }
  cipher_ = *cipher;
  theirs_hello_ = *hello;
  transcript_.insert(transcript_.end(), bytes.begin(), bytes.end());
  answered_ = true;
  if (auto failed = make_root()) return failed;
  if (!extend(parts_.options.identity.secret, theirs_hello_.ephemeral)) {
    return fail(Errc::corrupt, AlertCode::malformed, "an ephemeral key of low order");
  }
  reply = make_identity();
  return std::nullopt;
}

std::unique_ptr<Aead> Handshake::identity_aead(bool of_caller) const {
  const auto label = of_caller ? "frenzy caller identity" : "frenzy answerer identity";
  return parts_.crypto.aead(cipher_, parts_.crypto.mac(root_, bytes_of(label)));
}

Key Handshake::proof(bool of_caller) const {
  return parts_.crypto.mac(chain_, joined(of_caller ? "frenzy caller proof" : "frenzy answerer proof",
                                          transcript_));
}

std::vector<std::byte> Handshake::make_identity() {
  const auto& options = parts_.options;
  auto clear = encode(Identity{options.role, options.body_seal,
                               static_cast<std::uint32_t>(options.heartbeat.count()), options.uuid,
                               options.identity.public_key, parts_.offer(peer_.offer)});
  const auto head = identity_head(options.protocol_version);
  const auto tag = identity_aead(caller_)->seal(0, head, clear, clear);
  ByteWriter out;
  out.write(head);
  out.write(clear);
  out.write(tag);
  transcript_.insert(transcript_.end(), out.bytes().begin(), out.bytes().end());
  const auto own_proof = proof(caller_);
  out.write(view(own_proof));
  transcript_.insert(transcript_.end(), view(own_proof).begin(), view(own_proof).end());
  return out.take();
}

Handshake::Step Handshake::open_identity(std::span<const std::byte> bytes) {
  constexpr std::size_t kTail = 16 + 32;
  const auto head = decode_packet_head(bytes);
  if (!head || head->kind != PacketKind::identity || bytes.size() < kPacketHead + kTail) {
    return fail(Errc::corrupt, AlertCode::malformed, "expected an identity packet");
  }
  const auto sealed = bytes.subspan(kPacketHead, bytes.size() - kPacketHead - kTail);
  std::vector<std::byte> clear(sealed.begin(), sealed.end());
  SealTag tag{};
  std::memcpy(tag.data(), bytes.data() + bytes.size() - kTail, tag.size());
  if (!identity_aead(!caller_)->open(0, bytes.first(kPacketHead), clear, tag)) {
    return fail(Errc::corrupt, AlertCode::malformed, "the seal of the identity is broken");
  }
  auto identity = decode_identity(clear);
  if (!identity) return fail(Errc::corrupt, AlertCode::malformed, identity.error().what);
  peer_ = std::move(*identity);
  transcript_.insert(transcript_.end(), bytes.begin(), bytes.end() - 32);
  return std::nullopt;
}

Handshake::Step Handshake::check_proof(std::span<const std::byte> bytes) {
  // Their identity key with our ephemeral one: only the holder of its secret finds the same value.
  if (!extend(ephemeral_.secret, peer_.public_key)) {
    return fail(Errc::corrupt, AlertCode::malformed, "an identity key of low order");
  }
  Key theirs{};
  std::memcpy(theirs.data(), bytes.data() + bytes.size() - theirs.size(), theirs.size());
  if (!parts_.crypto.equal(proof(!caller_), theirs)) {
    return fail(Errc::refused, AlertCode::not_admitted, "the identity key is not theirs");
  }
  transcript_.insert(transcript_.end(), view(theirs).begin(), view(theirs).end());
  return std::nullopt;
}

Handshake::Step Handshake::admit() {
  const auto verdict = parts_.admission.admit({peer_.role, peer_.uuid, peer_.public_key, key_id_,
                                               caller_, parts_.link.remote});
  if (verdict) return std::nullopt;
  return fail(verdict.error().code, AlertCode::not_admitted, verdict.error().what);
}

Handshake::Step Handshake::on_identity(std::span<const std::byte> bytes,
                                       std::vector<std::byte>& reply) {
  if (auto failed = open_identity(bytes)) return failed;
  if (auto failed = check_proof(bytes)) return failed;
  if (auto failed = admit()) return failed;
  if (!caller_) {
    if (!extend(parts_.options.identity.secret, theirs_hello_.ephemeral)) {
      return fail(Errc::corrupt, AlertCode::malformed, "an ephemeral key of low order");
    }
    reply = make_identity();
  }
  finished_ = true;
  return std::nullopt;
}

Handshake::Step Handshake::on_alert(std::span<const std::byte> bytes) {
  const auto alert = decode_alert(bytes);
  if (!alert) return HandshakeFailure{at(route_of(parts_.link), alert.error()), std::nullopt};
  if (alert->code == AlertCode::wrong_version) {
    return HandshakeFailure{check_version(alert->version)
                                .value_or(HandshakeFailure{
                                    error(Errc::refused, "{}: refused: {}", route_of(parts_.link),
                                          alert->text), std::nullopt})
                                .why,
                            std::nullopt};
  }
  const auto code = alert->code == AlertCode::busy ? Errc::exhausted : Errc::refused;
  return HandshakeFailure{
      error(code, "{}: the other side refused: {}", route_of(parts_.link), alert->text),
      std::nullopt};
}

Handshake::Step Handshake::packet(std::span<const std::byte> bytes, std::vector<std::byte>& reply) {
  const auto head = decode_packet_head(bytes);
  if (!head) return fail(Errc::corrupt, AlertCode::malformed, head.error().what);
  if (caller_ && head->kind == PacketKind::alert) return on_alert(bytes);
  if (!caller_ && !hello_checked_) {
    if (auto failed = check_hello(bytes)) return failed;
  }
  if (!caller_ && !answered_) return answer(reply);
  if (auto wrong = check_version(head->version)) return wrong;
  if (finished_) return fail(Errc::corrupt, AlertCode::malformed, "a packet after the last one");
  if (!answered_) return on_answer(bytes, reply);
  return on_identity(bytes, reply);
}

BodySeal Handshake::agreed_seal() const {
  return std::min(parts_.options.body_seal, peer_.body_seal);
}

ChannelKeys Handshake::keys() const {
  FRENZY_CHECK(finished_);
  const auto tagger = cipher_ == AeadKind::toy ? AeadKind::toy : AeadKind::chacha20poly1305;
  return {cipher_, tagger, parts_.crypto.mac(chain_, joined("frenzy channel", transcript_)), caller_};
}

}  // namespace frenzy::transport
