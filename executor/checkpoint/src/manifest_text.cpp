#include "json.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/executor/checkpoint/manifest.hpp"

#include <array>
#include <charconv>

namespace frenzy::executor::checkpoint {
namespace {

constexpr std::string_view kTail = R"("digest": ")";
constexpr std::string_view kEnd = "\"}\n";
constexpr std::size_t kTailBytes = kTail.size() + 64 + kEnd.size();
constexpr std::size_t kLongestString = 128;
constexpr std::size_t kMostPieces = 1'000'000;

std::string exact(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string model_text(const model::ModelSpec& m) {
  return format(
             R"("family": "gpt2", "layers": {}, "hidden": {}, "heads": {}, "ffn": {}, )",
             m.layers, m.hidden, m.heads, m.ffn) +
         format(R"("positions": {}, "vocabulary": {}, "tying": "{}", "norm_epsilon": {})",
                m.positions, m.vocabulary, m.tying == model::Tying::tied ? "tied" : "untied",
                exact(m.norm_epsilon));
}

std::string piece_text(const Piece& piece) {
  const auto& spec = piece.spec;
  return format(R"("block": {}, "field": "{}", "begin": {}, "end": {}, )", spec.block,
                name_of(spec.field), spec.range.begin, spec.range.end) +
         format(R"("scalar": "{}", "digest": "{}", "bytes": {})",
                model::name_of(spec.scalar), piece.digest, piece.bytes.value);
}

class ManifestParser {
 public:
  explicit ManifestParser(std::string_view text) : json_(text, kLongestString) {}

  Result<Manifest> parse() {
    std::size_t members = 0;
    json_.object([&](const std::string& key) {
      ++members;
      if (members == 1 && key != "format") return json_.fail("the first key is not 'format'");
      read_member(key);
    });
    json_.finish();
    if (other_format_ != 0) {
      return error(Errc::unsupported, "manifest format {}, this version reads format {}",
                   other_format_, kManifestFormat);
    }
    if (members != 8) json_.fail("a key is missing");
    if (json_.failed()) return error(Errc::corrupt, "{}", json_.reason());
    return std::move(out_);
  }

 private:
  void read_member(const std::string& key) {
    if (key == "format") return read_format();
    if (key == "job") return read_job();
    if (key == "step") return void(out_.step.value = json_.unsigned_integer());
    if (key == "samples") return void(out_.samples = json_.unsigned_integer());
    if (key == "recipe") return read_recipe();
    if (key == "model") return read_model();
    if (key == "pieces") return json_.array([&] { read_piece(); });
    if (key == "digest") return void(digest_ = json_.string());
    unknown(key);
  }

  void unknown(const std::string& key) {
    json_.fail(format("unknown key '{}'", printable(key, 64)));
  }

  void read_format() {
    const auto number = json_.unsigned_integer();
    if (json_.failed() || number == kManifestFormat) return;
    other_format_ = number;
    json_.fail("another format");
  }

  void read_job() {
    const auto job = JobId::parse(json_.string());
    if (job) {
      out_.job = *job;
    } else {
      json_.fail("a job that is no UUID");
    }
  }

  void read_recipe() {
    const auto text = json_.string();
    std::array<std::uint8_t, 16> bytes{};
    if (!parse_hex(text, bytes)) json_.fail("a recipe that is no fingerprint");
    for (std::size_t i = 0; i < 8; ++i) {
      out_.recipe.high = out_.recipe.high << 8 | bytes[i];
      out_.recipe.low = out_.recipe.low << 8 | bytes[i + 8];
    }
  }

  std::uint32_t small() {
    const auto value = json_.unsigned_integer();
    if (value > UINT32_MAX) json_.fail("a number of more than 32 bits");
    return static_cast<std::uint32_t>(value);
  }

  void read_model() {
    auto& m = out_.model;
    json_.object([&](const std::string& key) {
      if (key == "layers") return void(m.layers = small());
      if (key == "hidden") return void(m.hidden = small());
      if (key == "heads") return void(m.heads = small());
      if (key == "ffn") return void(m.ffn = small());
      if (key == "positions") return void(m.positions = small());
      if (key == "vocabulary") return void(m.vocabulary = small());
      if (key == "norm_epsilon") return void(m.norm_epsilon = json_.number());
      if (key == "tying") return read_tying();
      if (key != "family") return unknown(key);
      if (json_.string() != "gpt2") json_.fail("an unknown model family");
    });
  }

  void read_tying() {
    const auto text = json_.string();
    if (text != "tied" && text != "untied") json_.fail("a tying that is neither tied nor untied");
    out_.model.tying = text == "tied" ? model::Tying::tied : model::Tying::untied;
  }

  void read_piece() {
    Piece piece;
    std::size_t members = 0;
    json_.object([&](const std::string& key) {
      ++members;
      if (key == "block") return void(piece.spec.block.value = small());
      if (key == "field") return read_field(piece.spec);
      if (key == "begin") return void(piece.spec.range.begin = json_.unsigned_integer());
      if (key == "end") return void(piece.spec.range.end = json_.unsigned_integer());
      if (key == "scalar") return read_scalar(piece.spec);
      if (key == "digest") return read_digest(piece);
      if (key == "bytes") return void(piece.bytes.value = json_.unsigned_integer());
      unknown(key);
    });
    if (members != 7) json_.fail("a key of a piece is missing");
    if (out_.pieces.size() == kMostPieces) json_.fail(format("more than {} pieces", kMostPieces));
    if (!json_.failed()) out_.pieces.push_back(piece);
  }

  void read_field(PieceSpec& spec) {
    const auto field = model::field_named(json_.string());
    if (!field) return json_.fail("an unknown field of a piece");
    spec.field = *field;
  }

  void read_scalar(PieceSpec& spec) {
    const auto text = json_.string();
    if (text != "fp32" && text != "fp64") json_.fail("a scalar that is neither fp32 nor fp64");
    spec.scalar = text == "fp64" ? model::Scalar::fp64 : model::Scalar::fp32;
  }

  void read_digest(Piece& piece) {
    const auto digest = ContentDigest::parse(json_.string());
    if (!digest) return json_.fail("a digest that is none");
    piece.digest = *digest;
  }

  JsonReader json_;
  Manifest out_;
  std::string digest_;
  std::uint64_t other_format_ = 0;
};

}  // namespace

std::string manifest_text(const Manifest& manifest, const ContentHashing& hashing) {
  auto out = format(
                 "{\"format\": {},\n\"job\": \"{}\",\n\"step\": {},\n\"samples\": {},\n\"recipe\": "
                 "\"{}\",\n",
                 kManifestFormat, manifest.job, manifest.step, manifest.samples, manifest.recipe) +
             "\"model\": {" + model_text(manifest.model) + "},\n\"pieces\": [";
  for (const auto& piece : manifest.pieces) {
    if (out.back() != '[') out += ',';
    out += "\n {" + piece_text(piece) + '}';
  }
  out += "],\n";
  return out + format("{}{}{}", kTail, hashing.digest(bytes_of(out)), kEnd);
}

Result<Manifest> parse_manifest(std::string_view text, const ContentHashing& hashing) {
  const auto tail =
      text.size() < kTailBytes ? std::string_view() : text.substr(text.size() - kTailBytes);
  if (!tail.starts_with(kTail) || !tail.ends_with(kEnd)) {
    return error(Errc::corrupt, "the manifest is cut off: {} bytes that do not end in its digest",
                 text.size());
  }
  const auto body = text.substr(0, text.size() - kTailBytes);
  const auto digest = format("{}", hashing.digest(bytes_of(body)));
  if (digest != tail.substr(kTail.size(), 64)) {
    return error(Errc::corrupt, "the manifest is damaged: its digest is {}, it should be {}",
                 digest, printable(tail.substr(kTail.size(), 64), 64));
  }
  auto manifest = ManifestParser(text).parse();
  if (!manifest) return manifest.error();
  if (const auto whole = check(*manifest); !whole) return error(Errc::corrupt, "{}", whole.error());
  return manifest;
}

}  // namespace frenzy::executor::checkpoint
