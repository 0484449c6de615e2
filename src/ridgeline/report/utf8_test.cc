#include "ridgeline/report/utf8.h"

#include <gtest/gtest.h>

namespace ridgeline::report {
namespace {

TEST(Utf8, CountsWhatATerminalShows) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xC2\xB5s"), 2U);                 // micro sign
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);                 // e and a combining accent
  EXPECT_EQ(display_width("\xE6\xA8\xA1\xE5\x9E\x8B"), 4U);  // two wide characters
  EXPECT_EQ(display_width("\xFF"), 1U);
}

TEST(Utf8, ReplacesWhatIsNotText) {
  EXPECT_EQ(printable("a\x1b[1mb"), "a\xEF\xBF\xBD[1mb");
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong slash
  EXPECT_EQ(printable("\xED\xA0\x80x").back(), 'x');             // surrogate
  EXPECT_EQ(printable("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut short
}

}  // namespace
}  // namespace ridgeline::report
