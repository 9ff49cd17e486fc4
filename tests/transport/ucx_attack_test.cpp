// The write attack on UCX's data port, replayed: whoever reaches the port, knows a constant of UCX's
// public source and sends one put request writes memory of the process that listens. It works on a port
// whose guard was taken off, which is how this test knows that it can fail; and not as we run UCX.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "frenzy/base/byte_io.hpp"
#include "frenzy/transport/event_loop.hpp"
#include "frenzy/transport/socket_address.hpp"
#include "frenzy/transport/tcp_carrier.hpp"
#include "frenzy/transport/ucx_carrier.hpp"
#include "listener_guard.hpp"

using namespace frenzy;
using namespace frenzy::transport;

namespace {

constexpr std::uint64_t kUntouched = 0x1111111111111111, kWritten = 0x2222222222222222;

/// Of UCX 1.13's tcp transport: the magic number that opens a connection, then a header of type
/// "put request" (one past the connection manager's, which is one past the 32 active messages).
std::vector<std::byte> attack(std::uint64_t address) {
  ByteWriter out;
  out.write(std::uint64_t{0xCAFEBABE12345678});
  out.write(std::uint8_t{33});
  out.write(std::uint32_t{20});  // bytes of the request that follows
  out.write(address);
  out.write(std::uint64_t{sizeof(kWritten)});
  out.write(std::uint32_t{0});  // sequence number
  out.write(kWritten);
  return out.take();
}

enum class Guarding { as_we_run, taken_off };

struct Report {
  std::uint32_t ports = 0;
  std::array<std::array<char, 64>, 16> address{};  ///< "192.0.2.1:41000": UCX binds each port to one interface
};

/// A process with a carrier. Reports its data ports and lives two seconds. The memory to strike at is
/// shared with the test, which can read it also when UCX has aborted.
class Victim {
 public:
  Victim(const UcxOptions& options, Guarding guarding) {
    void* page = ::mmap(nullptr, sizeof(*memory_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    memory_ = static_cast<volatile std::uint64_t*>(page);
    *memory_ = kUntouched;
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    child_ = ::fork();
    if (child_ == 0) ::_exit(live(options, guarding, pipe[1]));
    ::close(pipe[1]);
    told_ = ::read(pipe[0], &report, sizeof(report)) == sizeof(report);
    ::close(pipe[0]);
    REQUIRE(told_);
  }
  ~Victim() {
    if (child_ > 0) ::kill(child_, SIGKILL);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
    ::munmap(const_cast<std::uint64_t*>(memory_), sizeof(*memory_));
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  Victim(Victim&&) = delete;
  Victim& operator=(Victim&&) = delete;

  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_); }
  [[nodiscard]] std::uint64_t memory() const { return *memory_; }
  /// Waits; true if it ended by itself and in peace.
  [[nodiscard]] bool survived() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  Report report;

 private:
  static int live(const UcxOptions& options, Guarding guarding, int tell) {
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) ::signal(signal, SIG_DFL);
    set_ucx_environment(options);
    const SystemClock clock;
    NullLog log;
    auto loop = EventLoop::create(clock);
    if (!loop) return 2;
    const auto before = listening_sockets();
    auto carrier = make_ucx_carrier(**loop, log, options);
    if (!carrier) return 3;
    std::vector<int> opened;
    std::ranges::set_difference(listening_sockets(), before, std::back_inserter(opened));
    Report said{.ports = static_cast<std::uint32_t>(opened.size()), .address = {}};
    for (std::size_t i = 0; i < opened.size() && i < said.address.size(); ++i) {
      local_address_of(opened[i]).copy(said.address[i].data(), said.address[i].size() - 1);
      const int none = 0;
      if (guarding == Guarding::taken_off) ::setsockopt(opened[i], SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none));
    }
    LoopThread thread(**loop);
    if (::write(tell, &said, sizeof(said)) != sizeof(said)) return 4;
    std::this_thread::sleep_for(std::chrono::seconds{2});
    ::_exit(0);
  }

  volatile std::uint64_t* memory_ = nullptr;
  pid_t child_ = -1;
  bool told_ = false;
};

/// An open connection if the port took the bytes. It must stay open: UCX aborts when such a one ends.
std::optional<UniqueFd> strike(const char* port, std::uint64_t victim) {
  const auto to = parse_numeric(port).value();
  UniqueFd fd(::socket(to.family(), SOCK_STREAM, 0));
  const timeval wait{0, 300'000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
  if (::connect(fd.get(), to.get(), to.length) != 0) return std::nullopt;
  const auto bytes = attack(victim);
  if (::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return fd;
}

UcxOptions over_networks() {
  UcxOptions options;
  options.shared_memory = false;
  options.trusted_networks = {"10.255.255.0/24", "fd00:ffff::/64"};  // not this host
  options.use = UcxUse::require;
  return options;
}

}  // namespace

TEST_CASE("without its guard UCX's data port lets a stranger write memory", "[ucx]") {
  Victim victim(over_networks(), Guarding::taken_off);
  REQUIRE(victim.report.ports > 0);
  const auto connection = strike(victim.report.address[0].data(), victim.address());
  CHECK(connection.has_value());
  // UCX then stumbles over a connection that was never asked for, and aborts: harm enough by itself.
  CHECK_FALSE(victim.survived());
  CHECK(victim.memory() == kWritten);
}

TEST_CASE("with its guard UCX's data port drops a stranger's connection and nothing is written", "[ucx]") {
  Victim victim(over_networks(), Guarding::as_we_run);
  REQUIRE(victim.report.ports > 0);
  for (std::uint32_t i = 0; i < victim.report.ports; ++i) {
    INFO(victim.report.address[i].data());
    CHECK_FALSE(strike(victim.report.address[i].data(), victim.address()).has_value());
  }
  CHECK(victim.survived());
  CHECK(victim.memory() == kUntouched);
}

TEST_CASE("on one host UCX opens no data port to strike at", "[ucx]") {
  Victim victim(UcxOptions{}, Guarding::as_we_run);
  CHECK(victim.report.ports == 0);
  CHECK(victim.survived());
}
