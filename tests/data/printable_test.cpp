#include "data/printable.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/file_error.hpp"

namespace diffeo {
namespace printable_test {

using files::printable;
using files::problem_text;

TEST(Printable, TextStaysAsItIs) {
  EXPECT_EQ(printable("sine: 'é日本', 1.5"), "sine: 'é日本', 1.5");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, TextHasNoControlCharactersAndIsUtf8) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\n\t\x7f"), "a\\x1b[2Jb\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2J"),
            "a\\xc2\\x9b2J");  // the same in one character
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b");  // which turns what follows around
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
}

TEST(Printable, TextIsCutBetweenCharacters) {
  EXPECT_EQ(printable("éééé", 3), "éé...");
  EXPECT_LT(printable(std::string(6'000'000, 'x')).size(), 2 * files::kLongestText);
}

TEST(Problems, OfFilesAreShortAndOnOneLine) {
  const FileError problem({"a\nb.tsv", 3}, "expected less, got " + std::string(6'000'000, '\x1b'));
  const std::string text = problem.what();
  EXPECT_TRUE(text.starts_with("a\\x0ab.tsv:3: expected less, got \\x1b")) << text;
  EXPECT_LT(text.size(), 2 * files::kLongestText);
  EXPECT_EQ(problem.place().file, "a\nb.tsv");
}

TEST(Problems, OfMemoryAreSaidInTheSameWords) {
  EXPECT_EQ(problem_text(std::bad_alloc()), "out of memory");
  EXPECT_EQ(problem_text(std::bad_array_new_length()), "out of memory");
  EXPECT_EQ(problem_text(std::runtime_error("DefaultCPUAllocator: can't allocate memory: you tried ...")),
            "out of memory");
  try {
    std::vector<double>().reserve(static_cast<std::size_t>(-1));
    FAIL();
  } catch (const std::exception& problem) {
    EXPECT_EQ(problem_text(problem), "out of memory");
  }
  EXPECT_EQ(problem_text(std::runtime_error("a\nstack")), "a");
}

}  // namespace printable_test
}  // namespace diffeo
