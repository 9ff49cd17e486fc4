#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstring>

#include "fields_control.hpp"
#include "fields_job.hpp"
#include "fields_plan.hpp"
#include "fields_run.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/wire/envelope.capnp.h"
#include "reader.hpp"

namespace frenzy::codec {
namespace {

/// The alternative whose name is `name`, if there is one.
template <std::size_t I = 0>
bool read_message(const char* name, capnp::DynamicStruct::Reader from, Message& out, Failure& failure) {
  if constexpr (I == std::variant_size_v<Message>) {
    return false;
  } else {
    using T = std::variant_alternative_t<I, Message>;
    if (std::strcmp(name, T::kName) != 0) return read_message<I + 1>(name, from, out, failure);
    Reader reader(from, failure);
    describe(reader, out.emplace<I>());
    return true;
  }
}

Result<Envelope> read_envelope(capnp::DynamicStruct::Reader root) {
  const auto protocol = root.get("protocol").as<std::uint16_t>();
  if (protocol < kOldestProtocol || protocol > kProtocol) {
    return error(Errc::unsupported, "the peer speaks protocol version {}, this side {} to {}", protocol,
                 kOldestProtocol, kProtocol);
  }
  Envelope out;
  out.correlation = root.get("correlation").as<std::uint64_t>();
  out.reply = root.get("reply").as<bool>();
  const auto body = root.get("message").as<capnp::DynamicStruct>();
  KJ_IF_MAYBE(field, body.which()) {
    const char* name = field->getProto().getName().cStr();
    Failure failure;
    if (std::strcmp(name, "none") == 0) return error(Errc::corrupt, "the envelope holds no message");
    FRENZY_CHECK(read_message(name, body.get(*field).as<capnp::DynamicStruct>(), out.message, failure));
    if (failure.first) return *failure.first;
    return out;
  }
  return error(Errc::unsupported, "the message is of a kind that protocol version {} does not know",
               kProtocol);
}

}  // namespace

Result<Envelope> decode(std::span<const std::byte> frame) {
  if (frame.size() > kMaxFrame || frame.size() % sizeof(capnp::word) != 0 || frame.empty()) {
    return error(Errc::corrupt, "a message of {} bytes is not 1 to {} whole words", frame.size(),
                 kMaxFrame / sizeof(capnp::word));
  }
  const auto count = frame.size() / sizeof(capnp::word);
  auto words = kj::heapArray<capnp::word>(count);
  std::memcpy(words.asBytes().begin(), frame.data(), frame.size());
  capnp::ReaderOptions options;
  options.traversalLimitInWords = 2 * count + 64;
  options.nestingLimit = 16;
  try {
    capnp::FlatArrayMessageReader reader(words, options);
    if (reader.getEnd() != words.end()) return error(Errc::corrupt, "bytes follow the message");
    return read_envelope(reader.getRoot<capnp::DynamicStruct>(capnp::Schema::from<wire::Envelope>()));
  } catch (const kj::Exception& e) {
    return error(Errc::corrupt, "malformed message: {}", printable(e.getDescription().cStr(), 200));
  }
}

}  // namespace frenzy::codec
