// SPDX-License-Identifier: BSD-3-Clause
//
// KRICA_FOR_WIDTHS(X): X(width) for the widths of operand_layout.hpp, each of which is compiled as
// a unit of its own.
#pragma once

#define KRICA_FOR_WIDTHS(X) X(32) X(64) X(80) X(112) X(128) X(192)
