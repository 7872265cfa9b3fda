// SPDX-License-Identifier: BSD-3-Clause
#include "report/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/model_parts.hpp"
#include "models/votes.hpp"
#include "report/atoms.hpp"
#include "report/canvas.hpp"
#include "report/heat_map.hpp"
#include "report/signal_atoms.hpp"

namespace krica {
namespace {

constexpr Index kSmallestSide = 256;
constexpr Index kMargin = 12;
constexpr Index kTitleScale = 2;
constexpr Index kDeciding = 6;  // atoms
constexpr Index kAtomColumns = 2;
constexpr Index kAtomSide = 64;  // minimum, in pixels
constexpr Index kLegendHeight = 12;

constexpr Index kLine = kTextHeight + 4;
constexpr Index kTop = kMargin + kTitleScale * kTextHeight + kMargin;

Index zoom_for(Index pixels, Index wanted) {
  return std::max<Index>(1, (wanted + pixels - 1) / pixels);
}

/// The positions of all parts.
struct Layout {
  Layout(const Model& model, const ImageShape& shape)
      : zoom(zoom_for(std::max(shape.height, shape.width), kSmallestSide)),
        picture_height(shape.height * zoom),
        picture_width(shape.width * zoom),
        atom_zoom(zoom_for(*model.options().descriptor.receptive_field, kAtomSide)),
        atom_side(*model.options().descriptor.receptive_field * atom_zoom) {}

  Index zoom;
  Index picture_height;
  Index picture_width;
  Index atom_zoom;
  Index atom_side;

  [[nodiscard]] Index pictures_top() const { return kTop + kLine; }
  [[nodiscard]] Index heat_left() const { return kMargin + picture_width + kMargin; }
  [[nodiscard]] Index atoms_left() const { return heat_left() + picture_width + 2 * kMargin; }
  [[nodiscard]] Index atom_pitch() const { return atom_side + kLine + kMargin; }
  [[nodiscard]] Index legend_top() const { return pictures_top() + picture_height + kMargin; }
  [[nodiscard]] Index height() const {
    const Index atoms =
        pictures_top() + (kDeciding + kAtomColumns - 1) / kAtomColumns * atom_pitch();
    return std::max(legend_top() + kLegendHeight + kLine + kMargin, atoms);
  }
  [[nodiscard]] Index width(Index title_width) const {
    const Index atoms = atoms_left() + kAtomColumns * (atom_side + 2 * kMargin) + 2 * kMargin;
    return std::max(atoms, title_width + 2 * kMargin);
  }
};

/// From full blue through the plain image to full red, as the heat map blends them.
void draw_legend(Canvas& canvas, const Layout& layout) {
  const Index left = layout.heat_left();
  const Image grey{{1, layout.picture_width, 1},
                   std::vector<std::uint8_t>(static_cast<std::size_t>(layout.picture_width), 200)};
  Matrix<float> votes(1, layout.picture_width);
  for (Index x = 0; x < votes.cols(); ++x)
    votes(0, x) = 2 * static_cast<float>(x) / static_cast<float>(votes.cols() - 1) - 1;
  const Image scale = draw_heat_map(grey, votes, 1, 1, 1);
  for (Index y = 0; y < kLegendHeight; ++y) canvas.picture(layout.legend_top() + y, left, scale);
  const Index text_top = layout.legend_top() + kLegendHeight + 4;
  const std::string votes_for = "red: for it";
  canvas.text(text_top, left, "blue: against the class");
  canvas.text(text_top, left + layout.picture_width - text_width(votes_for, 1), votes_for);
}

void draw_deciding_atoms(Canvas& canvas, const Layout& layout, const Model& model,
                         const std::vector<AtomContribution>& atoms) {
  canvas.text(kTop, layout.atoms_left(), "atoms that add most");
  if (!model.has_atom_images()) {
    canvas.text(layout.pictures_top(), layout.atoms_left(), "have no picture");
    return;
  }
  const Matrix<float> pictures = model.atom_images();
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto place = static_cast<Index>(i);
    const Index top = layout.pictures_top() + place / kAtomColumns * layout.atom_pitch();
    const Index left =
        layout.atoms_left() + place % kAtomColumns * (layout.atom_side + 2 * kMargin);
    const ConstMatrixView<float> atom(pictures.row(atoms[i].atom), 1, pictures.cols());
    // The tile has its own one-pixel border.
    canvas.picture(top - 1, left - 1,
                   draw_atoms(atom, *model.options().descriptor.receptive_field,
                              model.shape().channels, layout.atom_zoom));
    canvas.text(top + layout.atom_side + 4, left, fmt::format("+{:.3f}", atoms[i].contribution));
  }
  if (atoms.empty()) canvas.text(layout.pictures_top(), layout.atoms_left(), "none adds to it");
}

/// Bytes unchanged; other values scaled to 0 ... 255.
Image displayed(const ImageShape& shape, const float* values) {
  const auto [low, high] = std::minmax_element(values, values + shape.values());
  const bool bytes = *low >= 0 && *high <= 255 && *high > 1;
  const float offset = bytes ? 0 : *low;
  const float factor = bytes ? 1 : 255 / std::max(*high - *low, 1e-30F);
  Image image{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.values()))};
  std::transform(values, values + shape.values(), image.pixels.begin(), [&](float value) {
    return static_cast<std::uint8_t>(std::lround((value - offset) * factor));
  });
  return image;
}

Image draw_image_explanation(const Model& model, const float* image, const ImageShape& shape,
                             Index which, const std::string& title) {
  const Matrix<float> votes = position_votes(model, image, shape, which);
  const Image shown = displayed(shape, image);
  const Layout layout(model, shape);
  Canvas canvas(layout.height(), layout.width(text_width(title, kTitleScale)));
  canvas.text(kMargin, kMargin, title, kTitleScale);
  canvas.text(kTop, kMargin, "as the model sees it");
  canvas.picture(layout.pictures_top(), kMargin, shown, layout.zoom);
  canvas.text(kTop, layout.heat_left(), "where the score comes from");
  canvas.picture(layout.pictures_top(), layout.heat_left(),
                 draw_heat_map(shown, votes, *model.options().descriptor.receptive_field,
                               *model.options().descriptor.stride, layout.zoom,
                               model.parts().extractor->descriptors().first_pixel(shape)));
  draw_legend(canvas, layout);
  draw_deciding_atoms(canvas, layout, model,
                      deciding_atoms(atom_contributions(model, image, shape, which), kDeciding));
  return canvas.take();
}

Image draw_sample_explanation(const Model& model, const float* sample, Index which,
                              const std::string& title) {
  const auto atoms =
      deciding_atoms(atom_contributions(model, sample, model.shape(), which), kDeciding);
  const Matrix<float> curves = model.atom_images();
  Matrix<float> rows(static_cast<Index>(atoms.size()) + 1, curves.cols());
  std::copy_n(sample, curves.cols(), rows.row(0));
  std::vector<std::vector<Index>> groups = {{0}, {}};
  std::string heading = "atoms that add most:";
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto row = static_cast<Index>(i) + 1;
    std::copy_n(curves.row(atoms[i].atom), curves.cols(), rows.row(row));
    groups[1].push_back(row);
    heading += fmt::format(" {} (+{:.3f})", atoms[i].atom, atoms[i].contribution);
  }
  return draw_signal_atoms(rows, model.parts().signal_channels, groups, {title, heading});
}

}  // namespace

Image draw_explanation(const Model& model, const float* image, const ImageShape& shape, Index which,
                       const std::string& title) {
  return model.shape().is_sample() ? draw_sample_explanation(model, image, which, title)
                                   : draw_image_explanation(model, image, shape, which, title);
}

}  // namespace krica
