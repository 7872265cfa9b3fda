// SPDX-License-Identifier: BSD-3-Clause
#include "device/clustering_twin.hpp"

namespace krica::device {

MemberChunks chunks_of(std::span<const std::int64_t> assignment, int K, int most) {
  std::vector<int> begins(static_cast<std::size_t>(K) + 1, 0);
  for (const std::int64_t row : assignment) ++begins[static_cast<std::size_t>(row) + 1];
  for (std::size_t k = 0; k < static_cast<std::size_t>(K); ++k) begins[k + 1] += begins[k];
  MemberChunks chunks;
  for (std::size_t k = 0; k < static_cast<std::size_t>(K); ++k) {
    chunks.first_chunk.push_back(static_cast<int>(chunks.begins.size()));
    for (int begin = begins[k]; begin < begins[k + 1]; begin += most)
      chunks.begins.push_back(begin);
  }
  chunks.first_chunk.push_back(static_cast<int>(chunks.begins.size()));
  chunks.begins.push_back(static_cast<int>(assignment.size()));
  chunks.members.resize(assignment.size());
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    int& next = begins[static_cast<std::size_t>(assignment[i])];
    chunks.members[static_cast<std::size_t>(next++)] = static_cast<int>(i);
  }
  return chunks;
}

}  // namespace krica::device
