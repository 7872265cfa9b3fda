// SPDX-License-Identifier: BSD-3-Clause
//
// The style of a report: light or dark by the reader's setting, one column on a phone, plain on
// paper. Colour-blind readers can distinguish the colours of the series on either background.
#pragma once

#include <string_view>

namespace krica {

inline constexpr std::string_view kReportStyle = R"(
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --panel: #f6f8fa; --link: #0550ae;
  --c0: #0072b2; --c1: #c24d00; --c2: #007a5a; --c3: #a03c7c; --c4: #806500; --c5: #2b7fb0; --c6: #6e4aa8; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1317; --ink: #e6edf3; --soft: #a3adb8; --line: #3a434d;
  --panel: #181e25; --link: #79b8ff;
  --c0: #56b4e9; --c1: #ff9e4a; --c2: #2fc79a; --c3: #e79ac6; --c4: #f0e442; --c5: #9ad0f5; --c6: #c3a6ff; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; background: var(--ground); color: var(--ink);
  max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; padding-top: .7rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
a { color: var(--link); }
p { margin: .5rem 0; max-width: 46rem; }
.note, figcaption, caption { color: var(--soft); font-size: .9rem; }
.note { border-left: 3px solid var(--line); padding-left: .7rem; }
.result { font-size: 1.15rem; font-weight: 600; }
nav { border: 1px solid var(--line); border-radius: 6px; padding: .3rem .8rem; margin: 1rem 0; }
nav p { font-weight: 600; margin: .2rem 0; }
nav ul { list-style: none; padding: 0; margin: .2rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
.up { font-size: .85rem; margin-top: 1.5rem; }
/* Beside the text where there is room for it. */
@media (min-width: 94rem) { nav { position: fixed; top: 1.5rem; left: calc(50vw - 46rem); width: 14rem; margin: 0;
  max-height: calc(100vh - 3rem); overflow-y: auto; } nav ul { display: block; } .up { display: none; } }
code { font: .87rem/1.5 ui-monospace, monospace; background: var(--panel); padding: .1rem .3rem; border-radius: 4px;
  overflow-wrap: anywhere; }
.option { white-space: nowrap; overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .93rem; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody th { font-weight: 400; }
thead th { color: var(--soft); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.word { text-align: right; }
tr.marked td, tr.marked th { background: var(--panel); font-weight: 600; }
figure { margin: 1rem 0; }
figcaption { margin-top: .3rem; max-width: 46rem; }
img { max-width: 100%; height: auto; image-rendering: pixelated; }
svg { display: block; width: 100%; max-width: 36rem; height: auto; }
svg text { fill: var(--ink); font: 11px system-ui, -apple-system, sans-serif; }
svg .soft { fill: var(--soft); }
svg .axis { stroke: var(--soft); fill: none; }
svg .grid { stroke: var(--line); fill: none; }
.side-by-side { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 1.5rem; }
.side-by-side > * { min-width: 0; }
.side-by-side > figure:has(> img) { grid-row: span 3; }
.thumbnails { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: .8rem; padding: 0; }
.thumbnails figure { margin: 0; }
.thumbnails img { width: 100%; max-width: 7rem; }
.thumbnails figcaption { font-size: .8rem; line-height: 1.3; }
.matrix { font-size: .8rem; }
.matrix th, .matrix td { padding: .2rem .35rem; text-align: right; border: 0; font-weight: 400; }
.matrix tbody th { text-align: left; }
details { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .8rem; margin: .6rem 0; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 34rem) { body { padding: 1rem .8rem 3rem; } table { font-size: .85rem; }
  th, td { padding-right: .45rem; } .matrix { font-size: .68rem; } .matrix th, .matrix td { padding: .15rem .2rem; } }
@media print { :root { color-scheme: light; --ground: #ffffff; --ink: #000000; --soft: #404040; --line: #b0b0b0;
  --panel: #f4f4f4; --link: #000000; --c0: #0072b2; --c1: #c24d00; --c2: #007a5a; --c3: #a03c7c; --c4: #806500;
  --c5: #2b7fb0; --c6: #6e4aa8; }
  body { font-size: 10pt; max-width: none; padding: 0; } nav, .up { display: none; } .wide { overflow: visible; }
  figure, table, details { break-inside: avoid; } h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; height: auto; } }
)";

}  // namespace krica
