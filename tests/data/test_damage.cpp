// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged files: every truncation and many changed bytes of valid files are read or refused with a
// DataError; nothing else may happen. The sanitizers watch.
#include <gtest/gtest.h>

#include <functional>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"
#include "krica/runtime/context.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::operator+;
using support::Folder;

/// Whether it could be read; any exception but DataError escapes.
bool try_to_open(const std::filesystem::path& path, DataFormat format) {
  try {
    const DataSet data =
        open_dataset(Context({.threads = 1, .memory_bytes = 64 << 20}), path,
                     {.format = format, .image_size = 8, .one_class_allowed = true});
    if (data.train) {
      std::vector<float> pixels(static_cast<std::size_t>(data.train->shape().values()));
      data.train->read(data.train->size() - 1, 1, pixels.data());
    } else {
      std::vector<double> row(static_cast<std::size_t>(data.train_samples->cols()));
      data.train_samples->read(data.train_samples->rows() - 1, 1, row.data());
    }
    return true;
  } catch (const DataError&) {
    return false;
  }
}

void damage(const Bytes& file, DataFormat format, int changes) {
  const Folder folder;
  const auto path = folder / "file.bin";
  support::write_file(path, file);
  ASSERT_TRUE(try_to_open(path, format)) << "not even before it is damaged";
  const std::size_t step = 1 + file.size() / 100;
  for (std::size_t size = 0; size < file.size(); size += size < 80 ? 1 : step) {
    support::write_file(path,
                        Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_NO_THROW(try_to_open(path, format)) << "cut to " << size;
  }
  Random random(11, "tests.damage");
  for (int change = 0; change < changes; ++change) {
    Bytes broken = file;
    const Index most = change % 2 == 0 ? std::min<Index>(64, std::ssize(file)) : std::ssize(file);
    for (int i = 0; i <= change % 3; ++i) {
      auto& byte = broken[static_cast<std::size_t>(random.below(most))];
      byte = static_cast<std::uint8_t>(change % 5 == 0 ? 0xff : byte ^ (1 << random.below(8)));
    }
    support::write_file(path, broken);
    ASSERT_NO_THROW(try_to_open(path, format)) << "change " << change;
  }
}

Bytes text(const std::string& content) { return {content.begin(), content.end()}; }

TEST(Damage, Cifar) { damage(support::cifar_records(2, 1, 2, 1), DataFormat::kCifar10, 200); }
TEST(Damage, Idx) { damage(support::idx_file({3, 5, 4}, 1), DataFormat::kIdx, 400); }
TEST(Damage, IdxGzip) {
  damage(support::gzip(support::idx_file({3, 5, 4}, 1)), DataFormat::kIdx, 400);
}
TEST(Damage, NpySamples) {
  damage(
      support::npy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", Bytes(48)),
      DataFormat::kNpy, 600);
}
TEST(Damage, NpyColumnMajorImages) {
  damage(support::npy_file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 2, 3), }",
                           Bytes(72)),
         DataFormat::kNpy, 600);
}
TEST(Damage, Png) {
  damage(encode_png(support::noise_image({9, 7, 3}, 1)), DataFormat::kFolder, 400);
}
TEST(Damage, Jpeg) {
  damage(support::encode_jpeg(support::noise_image({17, 9, 3}, 1), 80), DataFormat::kFolder, 600);
}
TEST(Damage, Pnm) {
  damage(text("P6 # c\n4 3\n255\n") + support::noise(36, 1), DataFormat::kFolder, 400);
  damage(text("P2\n3 2\n99\n1 2 3 4 5 6\n"), DataFormat::kFolder, 400);
  damage(text("P1\n3 2\n1 0 1 0 1 0\n"), DataFormat::kFolder, 400);
}
TEST(Damage, Bmp) {
  Bytes bmp = {'B', 'M', 74, 0, 0, 0, 0, 0, 0, 0, 62, 0, 0, 0, 40, 0, 0,   0,   5,   0, 0,
               0,   3,   0,  0, 0, 1, 0, 1, 0, 0, 0,  0, 0, 0, 0,  0, 0,   0,   0,   0, 0,
               0,   0,   0,  0, 2, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,  0, 255, 255, 255, 0};
  damage(bmp + Bytes(12, 0xa8), DataFormat::kFolder, 600);
}

}  // namespace
}  // namespace krica
