// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "krica/runtime/error.hpp"
#include "runtime/check.hpp"
#include "runtime/digest.hpp"
#include "runtime/file.hpp"

namespace krica {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 20;
constexpr int kDeepestJson = 4;
constexpr std::string_view kMetadataName = "__metadata__";
constexpr std::string_view kDigestKey = "sha256";
constexpr std::size_t kDigestDigits = 64;

template <class Scalar>
constexpr std::string_view dtype_of() {
  if constexpr (std::is_same_v<Scalar, float>) return "F32";
  if constexpr (std::is_same_v<Scalar, double>) return "F64";
  if constexpr (std::is_same_v<Scalar, std::int64_t>) return "I64";
  return "U8";
}

std::size_t item_bytes(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64") return 8;
  if (dtype == "F32") return 4;
  return dtype == "U8" ? 1 : 0;
}

[[noreturn]] void refuse(const std::string& source, const std::string& reason) {
  throw DataError(fmt::format("[archive] {}: {}", source, reason));
}

/// The position of the digest's digits in the header, or npos. A quote after a backslash is part of
/// a text value.
std::size_t find_digest(std::string_view header) {
  const std::string marker = fmt::format(R"("{}":")", kDigestKey);
  std::size_t at = header.find(marker);
  while (at != std::string_view::npos && at > 0 && header[at - 1] == '\\')
    at = header.find(marker, at + 1);
  return at == std::string_view::npos ? at : at + marker.size();
}

/// Non-negative integers, and nothing that a JSON reader would convert to one.
std::vector<Index> counts_in(const json& list, const std::string& source) {
  if (!list.is_array()) refuse(source, "a shape or offset is not a list");
  std::vector<Index> counts;
  for (const json& number : list) {
    constexpr std::uint64_t kMost = std::numeric_limits<Index>::max();
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > kMost)
      refuse(source, "a shape or offset contains something other than integers >= 0");
    counts.push_back(number.get<Index>());
  }
  return counts;
}

/// The product of a tensor's dimensions and its item size.
std::size_t checked_bytes(const std::vector<Index>& shape, std::size_t item,
                          const std::string& source) {
  std::size_t bytes = item;
  for (const Index size : shape) {
    if (size != 0 &&
        bytes > std::numeric_limits<std::size_t>::max() / static_cast<std::size_t>(size)) {
      refuse(source, "a tensor's size overflows");
    }
    bytes *= static_cast<std::size_t>(size);
  }
  return bytes;
}

/// The header text. JSON is UTF-8, and readers reject oversized headers.
std::string dumped(const json& header) {
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception& error) {
    throw InvalidArgument(fmt::format("[archive] a name or text is not UTF-8 ({})", error.what()));
  }
  require(text.size() + kLengthBytes <= kMostHeaderBytes, "archive",
          "names and texts make a header of {} bytes; at most {} are allowed", text.size(),
          kMostHeaderBytes);
  return text;
}

json parse_header(std::string_view text, const std::string& source) {
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestJson) refuse(source, "the header is nested too deeply");
    return true;
  };
  if (text.find('\0') != std::string_view::npos) refuse(source, "the header holds a zero byte");
  try {
    json header = json::parse(text, limit_depth);
    if (!header.is_object()) refuse(source, "the header is not a JSON object");
    return header;
  } catch (const json::exception& error) {
    refuse(source, fmt::format("the header is not JSON ({})", error.what()));
  }
}

std::string_view header_of(std::string_view bytes, const std::string& source) {
  if (bytes.size() < kLengthBytes + 2)
    refuse(source, fmt::format("{} bytes is too short for an archive", bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMostHeaderBytes || length > bytes.size() - kLengthBytes) {
    refuse(source, fmt::format("not an archive, or truncated: a header of {} bytes in a file of {}",
                               length, bytes.size()));
  }
  return bytes.substr(kLengthBytes, length);
}

void check_digest(std::string_view bytes, std::string_view header, const std::string& source) {
  const std::size_t at = find_digest(header);
  if (at == std::string_view::npos || at + kDigestDigits > header.size())
    refuse(source, "no checksum in the header");
  const std::size_t digits = kLengthBytes + at;
  const std::string zeros(kDigestDigits, '0');
  const std::string digest =
      sha256_of({bytes.substr(0, digits), zeros, bytes.substr(digits + kDigestDigits)});
  if (digest != header.substr(at, kDigestDigits))
    refuse(source, "the checksum is wrong: the file is damaged or truncated");
}

/// The tensors must cover the data exactly: no gaps, no overlaps.
void check_places(std::vector<std::pair<std::size_t, std::size_t>> places, std::size_t data_bytes,
                  const std::string& source) {
  std::sort(places.begin(), places.end());
  std::size_t filled = 0;
  for (const auto& [begin, end] : places) {
    if (begin != filled)
      refuse(source, fmt::format("tensors overlap or leave a gap at byte {}", filled));
    filled = end;
  }
  if (filled != data_bytes)
    refuse(source, fmt::format("{} bytes belong to no tensor", data_bytes - filled));
}

}  // namespace

template <class Scalar>
void Archive::put(const std::string& name, ConstMatrixView<Scalar> matrix) {
  Tensor tensor{std::string(dtype_of<Scalar>()), {matrix.rows(), matrix.cols()}, {}};
  const std::size_t row_bytes = sizeof(Scalar) * static_cast<std::size_t>(matrix.cols());
  tensor.data.resize(row_bytes * static_cast<std::size_t>(matrix.rows()));
  for (Index i = 0; i < matrix.rows() && row_bytes > 0; ++i) {
    std::memcpy(tensor.data.data() + static_cast<std::size_t>(i) * row_bytes,
                matrix.data() + i * matrix.outerStride(), row_bytes);
  }
  tensors_[name] = std::move(tensor);
}

template <class Scalar>
void Archive::put_vector(const std::string& name, std::span<const Scalar> values) {
  tensors_[name] = {std::string(dtype_of<Scalar>()),
                    {static_cast<Index>(values.size())},
                    std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes())};
}

template <class Scalar>
const Archive::Tensor& Archive::find(const std::string& name, std::size_t dimensions) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw DataError(fmt::format("[archive] there is no tensor '{}'", name));
  const Tensor& tensor = found->second;
  if (tensor.dtype != dtype_of<Scalar>() || tensor.shape.size() != dimensions) {
    throw DataError(
        fmt::format("[archive] tensor '{}' is {} with {} dimension(s), expected {} with {}", name,
                    tensor.dtype, tensor.shape.size(), dtype_of<Scalar>(), dimensions));
  }
  return tensor;
}

template <class Scalar>
Matrix<Scalar> Archive::matrix(const std::string& name) const {
  const Tensor& tensor = find<Scalar>(name, 2);
  Matrix<Scalar> matrix(tensor.shape[0], tensor.shape[1]);
  if (!tensor.data.empty()) std::memcpy(matrix.data(), tensor.data.data(), tensor.data.size());
  return matrix;
}

template <class Scalar>
std::vector<Scalar> Archive::vector(const std::string& name) const {
  const Tensor& tensor = find<Scalar>(name, 1);
  std::vector<Scalar> values(static_cast<std::size_t>(tensor.shape[0]));
  if (!tensor.data.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

template <class Scalar>
std::vector<Scalar> Archive::vector(const std::string& name, Index count) const {
  std::vector<Scalar> values = vector<Scalar>(name);
  if (std::ssize(values) != count) {
    throw DataError(fmt::format("[archive] tensor '{}' holds {} value(s), expected {}", name,
                                values.size(), count));
  }
  return values;
}

const std::string& Archive::text(const std::string& key) const {
  const auto found = text_.find(key);
  if (found == text_.end()) throw DataError(fmt::format("[archive] there is no text '{}'", key));
  return found->second;
}

std::string Archive::bytes() const {
  require(
      !tensors_.contains(std::string(kMetadataName)) && !text_.contains(std::string(kDigestKey)),
      "archive", "the tensor name '{}' and the text key '{}' are reserved by the file format",
      kMetadataName, kDigestKey);
  json header = json::object();
  json& metadata = header[std::string(kMetadataName)] = text_;
  metadata[std::string(kDigestKey)] = std::string(kDigestDigits, '0');
  std::size_t offset = 0;
  for (const auto& [name, tensor] : tensors_) {
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.data.size()}}};
    offset += tensor.data.size();
  }
  std::string text = dumped(header);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // aligned tensors
  const std::uint64_t length = text.size();
  std::string file(kLengthBytes, '\0');
  std::memcpy(file.data(), &length, kLengthBytes);
  file += text;
  file.reserve(file.size() + offset);
  for (const auto& [name, tensor] : tensors_) file += tensor.data;
  const std::string digest = sha256_of({file});
  file.replace(kLengthBytes + find_digest(text), kDigestDigits, digest);
  return file;
}

Archive Archive::parse(std::string_view bytes, const std::string& source) {
  const std::string_view text = header_of(bytes, source);
  check_digest(bytes, text, source);
  const json header = parse_header(text, source);
  const std::string_view data = bytes.substr(kLengthBytes + text.size());
  Archive archive;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  try {
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadataName) {
        archive.text_ = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      Tensor tensor{entry.at("dtype").get<std::string>(), counts_in(entry.at("shape"), source), {}};
      const std::size_t item = item_bytes(tensor.dtype);
      if (item == 0) refuse(source, fmt::format("tensor '{}' has an unknown type", name));
      const std::vector<Index> place = counts_in(entry.at("data_offsets"), source);
      if (place.size() != 2) refuse(source, fmt::format("tensor '{}' has no place", name));
      const auto begin = static_cast<std::size_t>(place[0]);
      const auto end = static_cast<std::size_t>(place[1]);
      const std::size_t size = checked_bytes(tensor.shape, item, source);
      if (begin > end || end > data.size() || end - begin != size) {
        refuse(source, fmt::format("tensor '{}' of {} bytes does not fit its offsets {} ... {}",
                                   name, size, begin, end));
      }
      places.emplace_back(begin, end);
      tensor.data = std::string(data.substr(begin, size));  // checked: within the file
      archive.tensors_[name] = std::move(tensor);
    }
  } catch (const json::exception& error) {
    refuse(source, fmt::format("the header is not that of an archive ({})", error.what()));
  }
  check_places(std::move(places), data.size(), source);
  archive.text_.erase(std::string(kDigestKey));
  return archive;
}

void Archive::save(const std::filesystem::path& path) const {
  write_file_atomically(path, bytes());
}

Archive Archive::load(const std::filesystem::path& path) {
  return parse(read_file(path), path.string());
}

#define KRICA_INSTANTIATE(Scalar)                                                 \
  template void Archive::put(const std::string&, ConstMatrixView<Scalar>);        \
  template void Archive::put_vector(const std::string&, std::span<const Scalar>); \
  template Matrix<Scalar> Archive::matrix(const std::string&) const;              \
  template std::vector<Scalar> Archive::vector(const std::string&) const;         \
  template std::vector<Scalar> Archive::vector(const std::string&, Index) const
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
KRICA_INSTANTIATE(std::int64_t);
KRICA_INSTANTIATE(std::uint8_t);
#undef KRICA_INSTANTIATE

}  // namespace krica
