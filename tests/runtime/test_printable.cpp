// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "runtime/printable.hpp"

namespace krica {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
  for (const std::string text : {"", "cat", "d'été 猫 №1", "a\\b", "🐈 ₂", "(a) \"b\" ~"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatTerminalsActOn) {
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("two\nlines\tand\r"), "two\\nlines\\x09and\\x0d");
  EXPECT_EQ(printable(std::string("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m")
      << "the one-character form of ESC [";
  EXPECT_EQ(printable("\u202egpj.exe"), "\\u202egpj.exe") << "written from right to left";
  EXPECT_EQ(printable("\u2028"), "\\u2028");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80") << "too long a form of zero";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate pair";
  EXPECT_EQ(printable("\xf0\x9f\x90"), "\\xf0\\x9f\\x90") << "cut off";
}

TEST(Printable, JsonKeepsItsLinesAndItsMeaning) {
  EXPECT_EQ(printable_json("{\n  \"a\": \"\xc2\x9b\x7f\"\n}"), "{\n  \"a\": \"\\u009b\\u007f\"\n}");
}

TEST(Utf8, IsRecognised) {
  for (const char* text : {"", "cat", "\u00e9", "\u2082", "\U0001f408", "\x01"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text :
       {"\xe9", "a\x80", "\xc1\xbf", "\xf5\x80\x80\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    EXPECT_FALSE(is_utf8(text)) << printable(text);
}

}  // namespace
}  // namespace krica
