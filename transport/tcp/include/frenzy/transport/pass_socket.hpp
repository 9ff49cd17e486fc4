#pragma once
// Hands a connected socket to another process of this host over a Unix socket (SCM_RIGHTS), with
// the bytes that were already read from it. This is how a runner's peers enter by its node's gate.

#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/transport/unique_fd.hpp"

namespace frenzy::transport {

struct PassedSocket {
  UniqueFd socket;
  std::vector<std::byte> first;
};

/// `through` is one end of a SOCK_SEQPACKET or SOCK_DGRAM socketpair. Closes `socket` here either
/// way. Errors: io, exhausted (the receiver does not read).
[[nodiscard]] Status pass_socket(int through, PassedSocket passed);
/// Errors: exhausted (nothing there, or no descriptors left), corrupt (no socket came), unreachable
/// (the other end is closed).
[[nodiscard]] Result<PassedSocket> receive_socket(int through);

}  // namespace frenzy::transport
