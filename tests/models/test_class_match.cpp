// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krica/runtime/error.hpp"
#include "models/class_match.hpp"

namespace krica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NamedImages final : public ImageSet {
 public:
  NamedImages(std::vector<int> labels, std::vector<std::string> names)
      : ImageSet(info_of(std::move(labels), std::move(names))) {}

 private:
  static ImageSetInfo info_of(std::vector<int> labels, std::vector<std::string> names) {
    ImageSetInfo info;
    info.size = static_cast<Index>(labels.size());
    info.shape = {1, 2, 1};
    info.labels = std::move(labels);
    info.class_names = std::move(names);
    return info;
  }
  void load_bytes(Index, Index count, std::uint8_t* out) const override {
    std::fill_n(out, 2 * count, std::uint8_t{0});
  }
};

TEST(ClassMatch, NamesDecideNotPositions) {
  const ClassMatch match =
      match_classes(NamedImages({0, 1, 2, 0}, {"bag", "coat", "shoe"}), {"shoe", "bag", "coat"});
  EXPECT_THAT(match.labels, ElementsAre(1, 2, 0, 1));
  EXPECT_TRUE(match.unknown.empty());
}

TEST(ClassMatch, SomeOfTheClassesAreEnough) {
  const NamedImages images({0, 0}, {"shoe"});
  EXPECT_THAT(labels_known_to({"bag", "coat", "shoe"}, images, "test"), ElementsAre(2, 2));
}

TEST(ClassMatch, DirectoryNamesStandForClassNames) {
  const NamedImages folder({0}, {"T-shirt_top"});
  EXPECT_THAT(match_classes(folder, {"Bag", "T-shirt/top"}).labels, ElementsAre(1));
  const NamedImages other({0}, {"T-shirt/top"});
  EXPECT_THAT(match_classes(other, {"Bag", "T-shirt_top"}).labels, ElementsAre(1));
}

TEST(ClassMatch, AnExactNameGoesBeforeADirectoryName) {
  const NamedImages images({0, 1}, {"a_b", "a/b"});
  EXPECT_THAT(match_classes(images, {"a/b", "a_b"}).labels, ElementsAre(1, 0));
}

TEST(ClassMatch, UnknownClassesAreListedWhereTheyHaveImages) {
  const NamedImages images({0, 2, 2, 3}, {"bag", "never seen", "hat", "glove"});
  const ClassMatch match = match_classes(images, {"bag"});
  EXPECT_THAT(match.labels, ElementsAre(0, -1, -1, -1));
  EXPECT_THAT(match.unknown, ElementsAre("glove", "hat"));
  EXPECT_EQ(match.unknown_images, 3);
  try {
    labels_known_to({"bag"}, images, "test");
    FAIL() << "unknown classes were accepted";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 of 4 images"));
    EXPECT_THAT(error.what(), HasSubstr("glove, hat; it knows bag"));
  }
}

TEST(ClassMatch, AnUnknownClassIsAnsweredWithTheNearest) {
  const auto message = [](const std::string& name, const std::vector<std::string>& known) {
    try {
      labels_known_to(known, NamedImages({0}, {name}), "test");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message("Sandals", {"Bag", "Sandal"}),
              HasSubstr("know: Sandals (did you mean 'Sandal'?); it knows Bag, Sandal"));
  EXPECT_THAT(message("hat", {"Bag", "Sandal"}), HasSubstr("know: hat; it knows"));
  EXPECT_THAT(message("11", {"1", "2"}), HasSubstr("know: 11; it knows"));
}

TEST(ClassMatch, LongListsAreCutShort) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back(std::to_string(i));
  EXPECT_EQ(listed(names), "0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
  EXPECT_EQ(listed({"a", "b"}), "a, b");
}

}  // namespace
}  // namespace krica
