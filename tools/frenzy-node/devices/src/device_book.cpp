#include "frenzy/tools/device_book.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "frenzy/base/rng.hpp"

namespace frenzy::tools {
namespace {

bool alike(const KnownDevice& known, const model::DeviceSpec& device) {
  return known.memory == device.memory && known.slowdown == device.slowdown;
}

std::string free_name(const std::set<std::string>& taken) {
  for (std::size_t number = 0;; ++number) {
    if (auto name = format("cpu{}", number); !taken.contains(name)) return name;
  }
}

/// Takes the first device out of the book that is described so.
std::optional<KnownDevice> take(std::vector<KnownDevice>& book, const model::DeviceSpec& device) {
  const auto found = std::ranges::find_if(book, [&](const auto& known) { return alike(known, device); });
  if (found == book.end()) return std::nullopt;
  auto out = std::move(*found);
  book.erase(found);
  return out;
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

template <class T>
bool read_number(std::string_view text, T& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string_view> cut(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Result<KnownDevice> parse_line(std::string_view line) {
  const auto parts = cut(line, ' ');
  if (parts.size() != 4) return error(Errc::corrupt, "{} words instead of 4", parts.size());
  const auto id = DeviceId::parse(parts[0]);
  KnownDevice out{.name = std::string(parts[1])};
  if (!id || !read_number(parts[2], out.memory.value) || !read_number(parts[3], out.slowdown)) {
    return error(Errc::corrupt, "not UUID NAME BYTES SLOWDOWN");
  }
  out.id = *id;
  return out;
}

Result<std::vector<KnownDevice>> read_book(Files& files, const std::string& path) {
  std::vector<KnownDevice> out;
  if (!files.exists(path)) return out;
  const auto text = files.read_text(path, 1_MiB);
  if (!text) return text.error();
  for (const auto line : cut(*text, '\n')) {
    auto device = parse_line(line);
    if (!device) return at(format("{}:{}", path, out.size() + 1), device.error());
    out.push_back(std::move(*device));
  }
  return out;
}

}  // namespace

std::vector<KnownDevice> identify(std::vector<model::DeviceSpec>& devices, const std::string& node,
                                  const std::vector<KnownDevice>& book, Rng& rng) {
  auto rest = book;
  std::vector<KnownDevice> now;
  std::set<std::string> taken;
  for (const auto& device : devices) {
    now.push_back(take(rest, device).value_or(KnownDevice{{}, {}, device.memory, device.slowdown}));
    if (!taken.insert(now.back().name).second) now.back().name.clear();
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto& known = now[i];
    if (known.id.uuid.is_nil()) known.id = DeviceId::random(rng);
    if (known.name.empty()) known.name = free_name(taken);
    taken.insert(known.name);
    devices[i].id = known.id;
    devices[i].name = format("{}/{}", node, known.name);
  }
  const auto absent = std::min(rest.size(), kRememberedDevices);
  now.insert(now.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(absent));
  return now;
}

Status identify(std::vector<model::DeviceSpec>& devices, const std::string& node, Files& files, const std::string& path,
                Rng& rng) {
  const auto before = read_book(files, path);
  if (!before) return before.error();
  const auto after = identify(devices, node, *before, rng);
  if (after == *before) return {};
  std::string text;
  for (const auto& known : after) {
    text += format("{} {} {} {}\n", known.id, known.name, known.memory.value, shortest(known.slowdown));
  }
  return files.write_text(path, text, FileMode::shared);
}

}  // namespace frenzy::tools
