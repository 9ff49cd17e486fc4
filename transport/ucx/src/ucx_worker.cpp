#include "ucx_worker.hpp"

#include <cstring>

namespace frenzy::transport {

namespace {

constexpr unsigned kMessageId = 1;
constexpr int kRoundsPerTurn = 256;
constexpr int kRoundsAtTheEnd = 2'000'000;
constexpr std::size_t kSpareRequests = 256;
constexpr std::size_t kLarge = 64U << 10;

Status failed(std::string_view what, ucs_status_t status) {
  return error(Errc::internal, "UCX: {}: {}", what, ucs_status_string(status));
}

}  // namespace

Result<std::unique_ptr<UcxContext>> UcxContext::create(const std::string& transports,
                                                       const std::string& devices) {
  ucp_config_t* config = nullptr;
  auto status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return failed("no configuration", status).error();
  status = ucp_config_modify(config, "TLS", transports.c_str());
  if (status == UCS_OK && !devices.empty()) {
    status = ucp_config_modify(config, "NET_DEVICES", devices.c_str());
  }
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.mt_workers_shared = 0;
  ucp_context_h handle = nullptr;
  if (status == UCS_OK) status = ucp_init(&params, config, &handle);
  ucp_config_release(config);
  if (status != UCS_OK) return failed("cannot start", status).error();
  return std::unique_ptr<UcxContext>(new UcxContext(handle));
}

UcxContext::~UcxContext() { ucp_cleanup(handle_); }

Result<std::unique_ptr<UcxWorker>> UcxWorker::create(const UcxContext& context, UcxWorkerEvents& events) {
  std::unique_ptr<UcxWorker> out(new UcxWorker(events));
  const auto started = out->start(context);
  if (!started) return started.error();
  return out;
}

Status UcxWorker::start(const UcxContext& context) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  // Serialized, not single: main may tear down what the loop's thread has used.
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  params.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  auto status = ucp_worker_create(context.handle(), &params, &worker_);
  if (status != UCS_OK) return failed("no worker", status);
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
  handler.id = kMessageId;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = &UcxWorker::on_message;
  handler.arg = this;
  status = ucp_worker_set_am_recv_handler(worker_, &handler);
  if (status == UCS_OK) status = ucp_worker_get_efd(worker_, &descriptor_);
  if (status != UCS_OK) return failed("no wake-up", status);
  ucp_address_t* address = nullptr;
  std::size_t length = 0;
  status = ucp_worker_get_address(worker_, &address, &length);
  if (status != UCS_OK) return failed("no address", status);
  const auto* bytes = reinterpret_cast<const std::byte*>(address);
  address_.assign(bytes, bytes + length);
  ucp_worker_release_address(worker_, address);
  return {};
}

UcxWorker::~UcxWorker() {
  if (worker_ == nullptr) return;
  close_all();
  ucp_worker_destroy(worker_);
}

void UcxWorker::expect(std::uint64_t link, std::span<const std::byte> address) {
  auto endpoint = std::make_unique<Endpoint>();
  endpoint->worker = this;
  endpoint->link = link;
  endpoint->address.assign(address.begin(), address.end());
  endpoints_[link] = std::move(endpoint);
}

Status UcxWorker::open(std::uint64_t link, std::span<const std::byte> address) {
  expect(link, address);
  auto called = call(*endpoints_[link]);
  if (!called) endpoints_.erase(link);
  return called;
}

Status UcxWorker::call(Endpoint& endpoint) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(endpoint.address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = &UcxWorker::on_error;
  params.err_handler.arg = &endpoint;
  const auto status = ucp_ep_create(worker_, &params, &endpoint.handle);
  endpoint.address.clear();
  if (status == UCS_OK) return {};
  endpoint.handle = nullptr;
  return failed("no endpoint", status);
}

UcxWorker::Request* UcxWorker::take_request(std::uint64_t link, std::uint64_t token, std::size_t bytes) {
  std::unique_ptr<Request> request;
  if (spare_.empty()) {
    request = std::make_unique<Request>();
  } else {
    request = std::move(spare_.back());
    spare_.pop_back();
  }
  request->worker = this;
  request->link = link;
  request->token = token;
  request->large = bytes >= kLarge;
  if (request->large) ++large_;
  return request.release();
}

void UcxWorker::send(std::uint64_t link, std::uint64_t their_token, const OutFrame& frame) {
  const auto found = endpoints_.find(link);
  if (found == endpoints_.end() || found->second->closing) return;
  if (found->second->handle == nullptr) {
    if (found->second->address.empty()) return;  // calling failed already, which is noted
    const auto called = call(*found->second);
    if (!called) return note({Kind::failed, link, 0, false, called.error().what});
  }
  auto* request = take_request(link, frame.token, frame.payload.size());
  std::memcpy(request->header.data(), &their_token, sizeof(their_token));
  std::memcpy(request->header.data() + sizeof(their_token), frame.header.data(), frame.header.size());
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = &UcxWorker::on_sent;
  param.user_data = request;
  ++found->second->in_flight;
  const auto sent = ucp_am_send_nbx(found->second->handle, kMessageId, request->header.data(),
                                    request->header.size(), frame.payload.data(),
                                    frame.payload.size(), &param);
  if (sent == nullptr) return request_done(request, Kind::sent, UCS_OK);
  if (UCS_PTR_IS_ERR(sent)) request_done(request, Kind::sent, UCS_PTR_STATUS(sent));
}

void UcxWorker::request_done(Request* request, Kind kind, ucs_status_t status) {
  std::unique_ptr<Request> owned(request);
  if (owned->large) --large_;
  note({kind, owned->link, owned->token, status == UCS_OK,
        status == UCS_OK ? std::string() : ucs_status_string(status)});
  if (spare_.size() < kSpareRequests) spare_.push_back(std::move(owned));
}

void UcxWorker::on_sent(void* request, ucs_status_t status, void* user) {
  auto* mine = static_cast<Request*>(user);
  mine->worker->request_done(mine, Kind::sent, status);
  ucp_request_free(request);
}

void UcxWorker::on_received(void* request, ucs_status_t status, std::size_t, void* user) {
  auto* mine = static_cast<Request*>(user);
  mine->worker->request_done(mine, Kind::arrived, status);
  ucp_request_free(request);
}

void UcxWorker::on_error(void* arg, ucp_ep_h, ucs_status_t status) {
  const auto* endpoint = static_cast<Endpoint*>(arg);
  endpoint->worker->note({Kind::failed, endpoint->link, 0, false, ucs_status_string(status)});
}

void UcxWorker::on_closed(void* request, ucs_status_t, void* user) {
  const auto* endpoint = static_cast<Endpoint*>(user);
  endpoint->worker->note({Kind::closed, endpoint->link, 0, true, {}});
  ucp_request_free(request);
}

ucs_status_t UcxWorker::on_message(void* arg, const void* header, std::size_t header_bytes,
                                   void* data, std::size_t bytes, const ucp_am_recv_param_t* param) {
  return static_cast<UcxWorker*>(arg)->received(header, header_bytes, data, bytes, *param);
}

ucs_status_t UcxWorker::received(const void* header, std::size_t header_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t& param) {
  if (header_bytes != kAmHeader || bytes > kMaxPayload) return UCS_OK;
  // A copy: UCX promises no alignment and no life beyond this call.
  std::array<std::byte, kAmHeader> copy{};
  std::memcpy(copy.data(), header, copy.size());
  std::uint64_t link = 0;
  std::memcpy(&link, copy.data(), sizeof(link));
  const auto found = endpoints_.find(link);
  if (found == endpoints_.end() || found->second->closing) return UCS_OK;
  const auto landing = events_.ucx_header(link, std::span(copy).subspan(sizeof(link)));
  if (!landing || landing->into.size() != bytes) {
    note({Kind::failed, link, 0, false, landing ? "a frame of another length" : landing.error().what});
    return UCS_OK;
  }
  if ((param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
    return receive_rendezvous(*found->second, *landing, data);
  }
  if (bytes > 0) std::memcpy(landing->into.data(), data, bytes);
  ++found->second->in_flight;
  note({Kind::arrived, link, landing->token, true, {}});
  return UCS_OK;
}

ucs_status_t UcxWorker::receive_rendezvous(Endpoint& endpoint, const Landing& landing, void* data) {
  auto* request = take_request(endpoint.link, landing.token, landing.into.size());
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.recv_am = &UcxWorker::on_received;
  param.user_data = request;
  ++endpoint.in_flight;
  const auto got = ucp_am_recv_data_nbx(worker_, data, landing.into.data(), landing.into.size(), &param);
  if (got == nullptr) request_done(request, Kind::arrived, UCS_OK);
  else if (UCS_PTR_IS_ERR(got)) request_done(request, Kind::arrived, UCS_PTR_STATUS(got));
  return UCS_OK;
}

void UcxWorker::close(std::uint64_t link) {
  const auto found = endpoints_.find(link);
  if (found != endpoints_.end()) found->second->closing = true;
}

void UcxWorker::request_closes() {
  for (auto& [link, endpoint] : endpoints_) {
    if (!endpoint->closing || endpoint->close_requested) continue;
    endpoint->close_requested = true;
    ++endpoint->in_flight;
    if (endpoint->handle == nullptr) {
      note({Kind::closed, link, 0, true, {}});
      continue;
    }
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK |
                         UCP_OP_ATTR_FIELD_USER_DATA;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    param.cb.send = &UcxWorker::on_closed;
    param.user_data = endpoint.get();
    const auto closed = ucp_ep_close_nbx(endpoint->handle, &param);
    if (closed == nullptr || UCS_PTR_IS_ERR(closed)) note({Kind::closed, link, 0, true, {}});
  }
}

bool UcxWorker::tell() {
  if (notes_.empty()) return false;
  telling_.swap(notes_);
  for (const auto& n : telling_) {
    const auto found = endpoints_.find(n.link);
    if (found == endpoints_.end()) continue;
    auto& endpoint = *found->second;
    if (n.kind != Kind::failed) --endpoint.in_flight;
    if (!endpoint.closing) {
      if (n.kind == Kind::arrived) events_.ucx_arrived(n.link, n.token, n.whole);
      if (n.kind == Kind::sent) events_.ucx_sent(n.link, n.token, n.whole);
      if (n.kind == Kind::failed) events_.ucx_failed(n.link, n.why);
    }
    if (endpoint.close_requested && endpoint.in_flight == 0) {
      const auto link = n.link;
      endpoints_.erase(found);
      events_.ucx_closed(link);
    }
  }
  telling_.clear();
  return true;
}

bool UcxWorker::progress() {
  request_closes();
  bool worked = false;
  for (int i = 0; i < kRoundsPerTurn && ucp_worker_progress(worker_) != 0; ++i) worked = true;
  return tell() || worked;
}

bool UcxWorker::arm() {
  if (!notes_.empty()) return false;
  for (const auto& [link, endpoint] : endpoints_) {
    if (endpoint->closing && !endpoint->close_requested) return false;
  }
  return ucp_worker_arm(worker_) == UCS_OK;
}

void UcxWorker::close_all() {
  for (auto& [link, endpoint] : endpoints_) endpoint->closing = true;
  for (int i = 0; i < kRoundsAtTheEnd && !endpoints_.empty(); ++i) {
    request_closes();
    ucp_worker_progress(worker_);
    telling_.swap(notes_);
    for (const auto& n : telling_) {
      const auto found = endpoints_.find(n.link);
      if (found == endpoints_.end()) continue;
      if (n.kind != Kind::failed) --found->second->in_flight;
      if (found->second->close_requested && found->second->in_flight == 0) endpoints_.erase(found);
    }
    telling_.clear();
  }
}

}  // namespace frenzy::transport
