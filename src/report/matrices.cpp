// SPDX-License-Identifier: BSD-3-Clause
#include "report/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html.hpp"

namespace krica {
namespace {

constexpr std::size_t kMostClasses = 20;  // whose counts fit on a page
constexpr std::size_t kMostConfusions = 15;

std::string confusion_list(const Evaluation& evaluation,
                           const std::vector<std::string>& class_names) {
  std::vector<ConfusionCount> all = evaluation.confusion;
  std::erase_if(all, [](const ConfusionCount& pair) { return pair.truth == pair.predicted; });
  std::stable_sort(all.begin(), all.end(), [](const ConfusionCount& a, const ConfusionCount& b) {
    return a.count > b.count;
  });
  if (all.size() > kMostConfusions) all.resize(kMostConfusions);
  std::string list = "<ol class=\"confusions\">\n";
  for (const ConfusionCount& pair : all) {
    list += fmt::format("<li>{} taken for {}: {}</li>\n",
                        escaped(class_names[static_cast<std::size_t>(pair.truth)]),
                        escaped(class_names[static_cast<std::size_t>(pair.predicted)]), pair.count);
  }
  return list + "</ol>";
}

std::string confusion_row(const std::vector<Index>& counts, std::size_t row,
                          const std::vector<std::string>& class_names) {
  Index sum = 0;
  for (const Index count : counts) sum += count;
  std::string cells =
      fmt::format("<tr><th scope=\"row\">{} {}</th>", row + 1, escaped(class_names[row]));
  for (std::size_t p = 0; p < counts.size(); ++p) {
    const double part = sum > 0 ? static_cast<double>(counts[p]) / static_cast<double>(sum) : 0;
    const PageColour colour = count_colour(part);
    cells += fmt::format(
        R"(<td style="background:{};color:{}" title="{} taken for {}: {} of {}">{}</td>)",
        colour.css(), colour.text_css(), escaped(class_names[row]), escaped(class_names[p]),
        counts[p], sum, counts[p]);
  }
  return cells + "</tr>\n";
}

/// The mean of each pair of classes, as rectangles that are visible only when hovering.
struct Block {
  std::size_t begin;
  std::size_t end;
  int label;
};

std::vector<Block> blocks_of(const std::vector<int>& labels) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (blocks.empty() || blocks.back().label != labels[i]) blocks.push_back({i, i, labels[i]});
    blocks.back().end = i + 1;
  }
  return blocks;
}

double mean_of(const Matrix<float>& distances, const Block& rows, const Block& columns) {
  double sum = 0;
  Index pairs = 0;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    for (std::size_t j = columns.begin; j < columns.end; ++j) {
      if (i == j) continue;
      sum += distances(static_cast<Index>(i), static_cast<Index>(j));
      ++pairs;
    }
  }
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0;
}

Image picture_of(const Matrix<float>& distances, double highest) {
  Image image{{distances.rows(), distances.cols(), 3}, {}};
  const auto pixels = static_cast<std::size_t>(image.shape.pixels());
  image.pixels.resize(3 * pixels);
  for (std::size_t e = 0; e < pixels; ++e) {
    const PageColour colour = scale_colour(distances.data()[e] / highest);
    image.pixels[e] = static_cast<std::uint8_t>(colour.red);
    image.pixels[pixels + e] = static_cast<std::uint8_t>(colour.green);
    image.pixels[2 * pixels + e] = static_cast<std::uint8_t>(colour.blue);
  }
  return image;
}

}  // namespace

std::string confusion_element(const Evaluation& evaluation,
                              const std::vector<std::string>& class_names) {
  if (class_names.size() > kMostClasses) return confusion_list(evaluation, class_names);
  std::string table =
      "<div class=\"wide\"><table class=\"matrix confusion\">\n<thead><tr><td></td>";
  for (std::size_t p = 0; p < class_names.size(); ++p) {
    table += fmt::format(R"(<th scope="col" title="{}">{}</th>)", escaped(class_names[p]), p + 1);
  }
  table += "</tr></thead>\n<tbody>\n";
  const std::vector<std::vector<Index>> counts = confusion_matrix(evaluation);
  for (std::size_t t = 0; t < class_names.size(); ++t)
    table += confusion_row(counts[t], t, class_names);
  return table + "</tbody></table></div>";
}

std::string scale_element(double highest, const std::string& label) {
  constexpr int kSteps = 60;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 420 50\" role=\"img\" aria-label=\"Colour scale: {}\">\n"
      "<g shape-rendering=\"crispEdges\">\n",
      escaped(label));
  for (int i = 0; i < kSteps; ++i) {
    svg += fmt::format("<rect x=\"{}\" y=\"2\" width=\"5\" height=\"12\" fill=\"{}\"/>\n",
                       22 + 5 * i, scale_colour((i + 0.5) / kSteps).css());
  }
  return svg + fmt::format(
                   "</g><text x=\"22\" y=\"27\">0</text><text x=\"322\" y=\"27\" "
                   "text-anchor=\"end\">{:.2f} or more</text><text x=\"172\" y=\"44\" "
                   "text-anchor=\"middle\">{}</text></svg>",
                   highest, escaped(label));
}

std::string distances_element(const Matrix<float>& distances, const std::vector<int>& labels,
                              const std::vector<std::string>& class_names, double highest) {
  constexpr double kLeft = 22;
  constexpr double kSide = 300;
  const double scale = kSide / static_cast<double>(std::max<Index>(1, distances.rows()));
  const std::string picture = image_element(picture_of(distances, highest), "");
  const std::size_t begin = picture.find("data:");
  const std::string address = picture.substr(begin, picture.find('"', begin) - begin);
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 330 326\" role=\"img\" aria-label=\"Distances between {} images\">\n"
      "<image href=\"{}\" x=\"{}\" y=\"4\" width=\"{}\" height=\"{}\" "
      "style=\"image-rendering:pixelated\"/>\n",
      distances.rows(), address, kLeft, kSide, kSide);
  int number = 0;
  for (const Block& row : blocks_of(labels)) {
    ++number;
    const double y = 4 + scale * static_cast<double>(row.begin);
    const double height = scale * static_cast<double>(row.end - row.begin);
    const std::string name = escaped(class_names[static_cast<std::size_t>(row.label)]);
    svg += fmt::format(
        "<text x=\"12\" y=\"{0:.1f}\" text-anchor=\"middle\">{1}</text>\n"
        "<text x=\"{2:.1f}\" y=\"320\" text-anchor=\"middle\">{1}</text>\n",
        y + height / 2 + 4, number, kLeft + y - 4 + height / 2);
    for (const Block& column : blocks_of(labels)) {
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"transparent\">"
          "<title>{} and {}: mean distance {:.3f}</title></rect>\n",
          kLeft + scale * static_cast<double>(column.begin), y,
          scale * static_cast<double>(column.end - column.begin), height, name,
          escaped(class_names[static_cast<std::size_t>(column.label)]),
          mean_of(distances, row, column));
    }
  }
  return svg + "</svg>";
}

}  // namespace krica
