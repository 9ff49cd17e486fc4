#pragma once
// UcxContext: UCX started with one set of transports. UcxWorker: a worker of it, what others can send to,
// and the endpoints on it.
//
// Callbacks of UCX only take notes; what they noted is told after ucp_worker_progress returned, so
// no code of ours runs inside UCX except the choice of a landing. Thread: the loop's.

#include <ucp/api/ucp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frenzy/transport/carrier.hpp"
#include "frenzy/transport/event_loop.hpp"

namespace frenzy::transport {

class UcxWorkerEvents {
 public:
  virtual ~UcxWorkerEvents() = default;
  /// Inside UCX: may not call into the worker.
  [[nodiscard]] virtual Result<Landing> ucx_header(std::uint64_t link,
                                                   std::span<const std::byte> header) = 0;
  virtual void ucx_arrived(std::uint64_t link, std::uint64_t token, bool whole) = 0;
  virtual void ucx_sent(std::uint64_t link, std::uint64_t token, bool whole) = 0;
  virtual void ucx_failed(std::uint64_t link, const std::string& why) = 0;
  /// After close(): nothing of this link is in UCX's hands any more.
  virtual void ucx_closed(std::uint64_t link) = 0;
};

class UcxContext {
 public:
  /// `transports` as in UCX_TLS, `devices` as in UCX_NET_DEVICES (empty: all). Errors: internal.
  [[nodiscard]] static Result<std::unique_ptr<UcxContext>> create(const std::string& transports,
                                                                  const std::string& devices);
  ~UcxContext();
  UcxContext(const UcxContext&) = delete;
  UcxContext& operator=(const UcxContext&) = delete;
  UcxContext(UcxContext&&) = delete;
  UcxContext& operator=(UcxContext&&) = delete;

  [[nodiscard]] ucp_context_h handle() const { return handle_; }

 private:
  explicit UcxContext(ucp_context_h handle) : handle_(handle) {}
  ucp_context_h handle_;
};

class UcxWorker final : public Progress {
 public:
  static constexpr std::size_t kAmHeader = 8 + kWireHeader;  ///< link token, frame header

  /// `context` outlives the worker. Errors: internal.
  [[nodiscard]] static Result<std::unique_ptr<UcxWorker>> create(const UcxContext& context,
                                                                 UcxWorkerEvents& events);
  ~UcxWorker() override;
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;
  UcxWorker(UcxWorker&&) = delete;
  UcxWorker& operator=(UcxWorker&&) = delete;

  [[nodiscard]] const std::vector<std::byte>& address() const { return address_; }
  [[nodiscard]] Status open(std::uint64_t link, std::span<const std::byte> address);
  /// The same, but calls the other side only with the first frame to send: until then it may not
  /// have admitted us to its port.
  void expect(std::uint64_t link, std::span<const std::byte> address);
  void send(std::uint64_t link, std::uint64_t their_token, const OutFrame& frame);
  /// By force; ucx_closed follows once UCX has given everything back.
  void close(std::uint64_t link);
  /// Closes all links and waits until UCX has given everything back. No event is told.
  void close_all();

  bool progress() override;
  bool arm() override;
  [[nodiscard]] bool expects_more() const override { return large_ > 0; }
  [[nodiscard]] int descriptor() const override { return descriptor_; }

 private:
  struct Endpoint {
    UcxWorker* worker = nullptr;
    std::uint64_t link = 0;
    ucp_ep_h handle = nullptr;
    std::vector<std::byte> address;  ///< until the handle exists
    std::size_t in_flight = 0;  ///< requests, the closing one included
    bool closing = false, close_requested = false;
  };
  enum class Kind : unsigned char { arrived, sent, failed, closed };
  struct Note {
    Kind kind = Kind::sent;
    std::uint64_t link = 0, token = 0;
    bool whole = true;
    std::string why;
  };
  struct Request {
    UcxWorker* worker = nullptr;
    std::uint64_t link = 0, token = 0;
    bool large = false;
    std::array<std::byte, kAmHeader> header{};
  };

  explicit UcxWorker(UcxWorkerEvents& events) : events_(events) {}
  [[nodiscard]] Status start(const UcxContext& context);
  [[nodiscard]] Status call(Endpoint& endpoint);
  [[nodiscard]] ucs_status_t received(const void* header, std::size_t header_bytes, void* data,
                                      std::size_t bytes, const ucp_am_recv_param_t& param);
  [[nodiscard]] ucs_status_t receive_rendezvous(Endpoint& endpoint, const Landing& landing, void* data);
  void request_done(Request* request, Kind kind, ucs_status_t status);
  void note(Note note) { notes_.push_back(std::move(note)); }
  bool tell();
  void request_closes();
  [[nodiscard]] Request* take_request(std::uint64_t link, std::uint64_t token, std::size_t bytes);

  static ucs_status_t on_message(void* arg, const void* header, std::size_t header_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* param);
  static void on_sent(void* request, ucs_status_t status, void* user);
  static void on_received(void* request, ucs_status_t status, std::size_t length, void* user);
  static void on_error(void* arg, ucp_ep_h endpoint, ucs_status_t status);
  static void on_closed(void* request, ucs_status_t status, void* user);

  UcxWorkerEvents& events_;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
  std::size_t large_ = 0;  ///< requests in UCX's hands that it moves in many steps
  std::vector<std::byte> address_;
  std::map<std::uint64_t, std::unique_ptr<Endpoint>> endpoints_;
  std::vector<Note> notes_, telling_;
  std::vector<std::unique_ptr<Request>> spare_;
};

}  // namespace frenzy::transport
