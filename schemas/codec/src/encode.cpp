#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include "fields_control.hpp"
#include "fields_job.hpp"
#include "fields_plan.hpp"
#include "fields_run.hpp"
#include "frenzy/wire/envelope.capnp.h"
#include "writer.hpp"

namespace frenzy::codec {
namespace {

void write_envelope(capnp::DynamicStruct::Builder root, const Envelope& envelope, Failure& failure) {
  root.set("protocol", kProtocol);
  root.set("correlation", envelope.correlation);
  root.set("reply", envelope.reply);
  auto body = root.init("message").as<capnp::DynamicStruct>();
  std::visit(
      [&]<class T>(const T& message) {
        Writer writer(body.init(T::kName).template as<capnp::DynamicStruct>(), failure);
        describe(writer, message);
      },
      envelope.message);
}

}  // namespace

Result<std::vector<std::byte>> encode(const Envelope& envelope) {
  try {
    capnp::MallocMessageBuilder builder;
    Failure failure;
    write_envelope(builder.initRoot<capnp::DynamicStruct>(capnp::Schema::from<wire::Envelope>()),
                   envelope, failure);
    if (failure.first) return *failure.first;
    const auto size = capnp::computeSerializedSizeInWords(builder) * sizeof(capnp::word);
    if (size > kMaxFrame) {
      return error(Errc::invalid_argument, "message {} takes {}, at most {}",
                   name_of(envelope.message), Bytes{size}, Bytes{kMaxFrame});
    }
    const auto words = capnp::messageToFlatArray(builder);
    const auto bytes = words.asBytes();
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.begin());
    return std::vector<std::byte>(begin, begin + bytes.size());
  } catch (const kj::Exception& e) {
    return error(Errc::internal, "cannot encode {}: {}", name_of(envelope.message),
                 std::string_view(e.getDescription().cStr()));
  }
}

}  // namespace frenzy::codec
