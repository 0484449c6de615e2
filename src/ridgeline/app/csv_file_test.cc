#include "ridgeline/app/csv_file.h"

#include <gtest/gtest.h>

namespace ridgeline::app {
namespace {

TEST(CsvFile, ReadsQuotesLineEndsAndShortRows) {
  const auto table = parse_csv(
      "\xEF\xBB\xBF"
      "id,notes,value\r\n"
      "a,\"one, \"\"two\"\"\nthree\",1\r\n"
      "\n"
      "b,\n",
      "t.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->name, "t.csv");
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->columns[0], "id");
  EXPECT_EQ(table->rows[0][1], "one, \"two\"\nthree");
  EXPECT_EQ(table->rows[1], (std::vector<std::string>{"b", "", ""}));
}

TEST(CsvFile, RefusesWhatIsNoTable) {
  EXPECT_FALSE(parse_csv("", "t"));
  EXPECT_FALSE(parse_csv("\n\n", "t"));
  const auto open = parse_csv("id\na\n\"never ends", "t");
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("line 3"), std::string::npos);
  const auto wide = parse_csv("id,value\na,1,2\n", "t");
  ASSERT_FALSE(wide);
  EXPECT_NE(wide.error().message.find("line 2 has 3 cells under 2 columns"), std::string::npos);
  EXPECT_FALSE(parse_csv("id\n\"a\"b\n", "t"));
}

}  // namespace
}  // namespace ridgeline::app
