// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/archive_mutator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "fuzz/support.hpp"

namespace krica::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kRoom = 64;  // that a text may grow by
const std::string kMetadata = "__metadata__";

class Mutation {
 public:
  Mutation(std::string_view file, unsigned seed) : random_(seed) {
    std::uint64_t length = 0;
    if (file.size() < kLengthBytes) return;
    std::memcpy(&length, file.data(), kLengthBytes);
    if (length > file.size() - kLengthBytes) return;
    header_ = json::parse(file.substr(kLengthBytes, length), nullptr, false);
    data_ = file.substr(kLengthBytes + length);
  }

  [[nodiscard]] bool possible() const {
    return header_.is_object() && header_.contains(kMetadata) && header_[kMetadata].is_object() &&
           header_.size() > 1;
  }

  std::string mutated() {
    switch (below(5)) {
      case 0:
        change_text();
        break;
      case 1:
        change_option();
        break;
      case 2:
        change_shape();
        break;
      case 3:
        header_.erase(key_of(header_));
        break;
      default:
        change_numbers();
    }
    return bytes();
  }

 private:
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  std::string key_of(const json& object) {
    auto entry = object.begin();
    std::advance(entry, static_cast<std::ptrdiff_t>(below(object.size())));
    return entry.key();
  }
  static void mutate(std::string& text, std::size_t room) {
    const std::size_t size = text.size();
    text.resize(size + room);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  }

  void change_text() {
    json& texts = header_[kMetadata];
    if (texts.empty()) return;
    json& text = texts[key_of(texts)];
    std::string changed = text.is_string() ? text.get<std::string>() : "";
    mutate(changed, kRoom);
    text = changed;
  }

  json odd_value() {
    static const std::array<json, 14> kOdd = {
        json(0),       json(-1),      json(1),      json(2),
        json(1e308),   json(-1e-308), json("auto"), json(nullptr),
        json::array(), json(true),    json("x"),    json(std::numeric_limits<std::int64_t>::max()),
        json("9x9"),   json(1 << 30)};
    return kOdd[below(kOdd.size())];
  }

  /// Of a text that is itself a JSON object, as the options are.
  void change_option() {
    json& texts = header_[kMetadata];
    for (auto& text : texts) {
      if (!text.is_string()) continue;
      json object = json::parse(text.get<std::string>(), nullptr, false);
      if (!object.is_object() || object.empty()) continue;
      object[key_of(object)] = odd_value();
      text = object.dump();
      return;
    }
  }

  void change_shape() {
    json& tensor = header_[key_of(header_)];
    if (!tensor.contains("shape") || !tensor["shape"].is_array() || tensor["shape"].empty()) return;
    json& sizes = tensor["shape"];
    sizes[below(sizes.size())] = below(2) == 0 ? json(below(20)) : odd_value();
  }

  void change_numbers() {
    if (!data_.empty()) mutate(data_, 0);
  }

  /// The file, with places that fill the data as far as it goes.
  [[nodiscard]] std::string bytes() {
    std::size_t offset = 0;
    for (auto& [name, tensor] : header_.items()) {
      if (name == kMetadata || !tensor.is_object()) continue;
      std::size_t size = tensor["dtype"] == "F32" ? 4 : tensor["dtype"] == "U8" ? 1 : 8;
      for (const json& side : tensor["shape"])
        size *=
            side.is_number_unsigned() ? std::min<std::size_t>(side.get<std::size_t>(), 4096) : 1;
      if (size > (std::size_t{1} << 16)) continue;
      tensor["data_offsets"] = {offset, offset + size};
      offset += size;
    }
    data_.resize(offset);
    header_[kMetadata]["sha256"] = std::string(64, '0');
    const std::string text = header_.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::uint64_t length = text.size();
    std::string file(kLengthBytes, '\0');
    std::memcpy(file.data(), &length, kLengthBytes);
    return file + text + data_;
  }

  std::minstd_rand random_;
  json header_;
  std::string data_;
};

}  // namespace

std::size_t mutate_archive(std::uint8_t* data, std::size_t size, std::size_t max_size,
                           unsigned seed) {
  Mutation mutation(text_of({data, size}), seed);
  if (!mutation.possible() || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string file = mutation.mutated();
  if (file.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

}  // namespace krica::fuzz
