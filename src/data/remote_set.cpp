// SPDX-License-Identifier: BSD-3-Clause
//
// The public data sets: the addresses of their publishers, and the md5 of every file.
#include "data/remote_set.hpp"

namespace krica {
namespace {

// Member by member: if memory runs out inside one large initialiser, GCC 12 destroys parts of it
// twice.
RemoteSet fashion_mnist() {
  RemoteSet set;
  set.info = {.name = "fashion-mnist",
              .description = "grey images of clothing, 28 x 28, 10 classes",
              .images = 70000,
              .megabytes = 31,
              .licence = "MIT",
              .citation = "Xiao, Rasul, Vollgraf, Fashion-MNIST, 2017"};
  set.addresses = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"};
  set.files = {{"train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
               {"train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"},
               {"t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"},
               {"t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"}};
  return set;
}

RemoteSet mnist() {
  RemoteSet set;
  set.info = {.name = "mnist",
              .description = "grey handwritten digits, 28 x 28, 10 classes",
              .images = 70000,
              .megabytes = 12,
              .licence = "CC BY-SA 3.0",
              .citation =
                  "LeCun, Bottou, Bengio, Haffner, Gradient-Based Learning Applied to "
                  "Document Recognition, Proceedings of the IEEE, 1998"};
  set.addresses = {"http://yann.lecun.com/exdb/mnist/",
                   "https://ossci-datasets.s3.amazonaws.com/mnist/"};
  set.files = {{"train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"},
               {"train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"},
               {"t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"},
               {"t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"}};
  return set;
}

RemoteSet cifar10() {
  RemoteSet set;
  set.info = {
      .name = "cifar10",
      .description = "colour images of animals and vehicles, 32 x 32, 10 classes",
      .images = 60000,
      .megabytes = 170,
      .licence = "none stated; the authors ask to be cited",
      .citation = "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009"};
  set.addresses = {"https://www.cs.toronto.edu/~kriz/"};
  set.files = {{"cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"}};
  set.unpacked = "cifar-10-batches-bin";
  return set;
}

RemoteSet stl10() {
  RemoteSet set;
  set.info = {.name = "stl10",
              .description = "colour images, 96 x 96: 13,000 in 10 classes, 100,000 unlabelled",
              .images = 113000,
              .megabytes = 2640,
              .licence = "none stated; images from ImageNet, the authors ask to be cited",
              .citation =
                  "Coates, Lee, Ng, An Analysis of Single-Layer Networks in Unsupervised "
                  "Feature Learning, AISTATS 2011"};
  set.addresses = {"http://ai.stanford.edu/~acoates/stl10/"};
  set.files = {{"stl10_binary.tar.gz", "91f7769df0f17e558f3565bffb0c7dfb"}};
  set.unpacked = "stl10_binary";
  return set;
}

RemoteSet caltech101() {
  RemoteSet set;
  set.info = {.name = "caltech101",
              .description = "images of varying size, 101 classes and background",
              .images = 9144,
              .megabytes = 137,
              .licence = "CC BY 4.0",
              .citation =
                  "Li, Andreeto, Ranzato, Perona, Caltech 101, CaltechDATA, 2022, "
                  "doi:10.22002/D1.20086"};
  set.addresses = {"https://data.caltech.edu/records/mzrjq-6wc02/files/"};
  set.files = {{"caltech-101.zip", "3138e1922a9193bfa496528edbbc45d0"}};
  set.inner_archive = "caltech-101/101_ObjectCategories.tar.gz";
  set.unpacked = "101_ObjectCategories";
  return set;
}

}  // namespace

std::vector<RemoteSet> remote_sets() {
  return {fashion_mnist(), mnist(), cifar10(), stl10(), caltech101()};
}

}  // namespace krica
