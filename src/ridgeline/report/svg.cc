// SVG: a self-contained drawing of a chart: axes with ticks, marks with tool tips, a legend.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "ridgeline/report/render.h"
#include "ridgeline/report/utf8.h"

namespace ridgeline::report {
namespace {

constexpr double kWidth = 760, kHeight = 480;
constexpr double kLeft = 84, kRight = 24, kTop = 48, kBottom = 60;
constexpr double kBarHeight = 18, kBarStep = 24, kLabelWidth = 190, kTextWidth = 110;
constexpr std::array kColours = {"#1f6feb", "#d1495b", "#2a9d6f", "#b7791f", "#6f42c1", "#57606a"};
constexpr const char* kInk = "#1f2328";
constexpr const char* kGrid = "#d8dee4";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string text_at(double x, double y, const char* anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string head(double height, std::string_view title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\" "
      "fill=\"{2}\">\n<title>{3}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{4}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{3}</text>\n",
      kWidth, height, kInk, escaped(title), kLeft);
}

const char* colour_of(std::size_t i) {
  return kColours[i % kColours.size()];
}

// Values at which an axis is numbered, covering [low, high].
std::vector<double> linear_ticks(double low, double high) {
  const double raw = (high - low) / 5;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double m : {1.0, 2.0, 5.0}) {
    if (raw <= m * power) {
      step = m * power;
      break;
    }
  }
  std::vector<double> out;
  const double first = std::floor(low / step), last = std::ceil(high / step);
  for (double i = first; i <= last; ++i) out.push_back(i * step);
  return out;
}

// Powers of ten; 1, 2 and 5 of each over a few decades; even steps over less than half of one.
std::vector<double> log_ticks(double low, double high) {
  constexpr double kShort = 3;  // steps over less begin above 0
  if (high / low <= kShort) return linear_ticks(low, high);
  std::vector<double> out;
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  const bool few = last - first <= 3;
  for (double decade = first; decade <= last; ++decade) {
    for (const double m : {1.0, 2.0, 5.0}) {
      if (m == 1 || few) out.push_back(m * std::pow(10.0, decade));
    }
  }
  const auto below = [low](double next) { return next <= low; };
  while (out.size() > 1 && below(out[1])) out.erase(out.begin());
  while (out.size() > 1 && out[out.size() - 2] >= high) out.pop_back();
  return out;
}

// Maps values of one axis to pixels.
class Mapping {
 public:
  Mapping(const ChartAxis& axis, std::pair<double, double> range, std::pair<double, double> pixels)
      : log_(axis.scale == AxisScale::log && range.first > 0), pixels_(pixels) {
    auto [low, high] = range;
    if (!(high > low)) {
      const double pad = low == 0 ? 1 : std::fabs(low) / 2;
      low -= pad;
      high += pad;
    }
    ticks_ = log_ ? log_ticks(low, high) : linear_ticks(low, high);
    low_ = place(ticks_.front());
    high_ = place(ticks_.back());
  }

  double operator()(double value) const {
    const double share = (place(value) - low_) / (high_ - low_);
    return pixels_.first + share * (pixels_.second - pixels_.first);
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  double place(double value) const { return log_ ? std::log10(value) : value; }

  bool log_;
  std::pair<double, double> pixels_;
  std::vector<double> ticks_;
  double low_ = 0, high_ = 1;
};

template <class Get>
std::pair<double, double> range_of(const Scatter& chart, Get get) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& series : chart.series) {
    for (const Mark& mark : series.marks) {
      low = std::min(low, get(mark));
      high = std::max(high, get(mark));
    }
  }
  return low <= high ? std::pair(low, high) : std::pair(0.0, 1.0);
}

std::string axes(const Scatter& chart, const Mapping& x, const Mapping& y) {
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  std::string out = fmt::format("<g stroke=\"{}\" stroke-width=\"1\">\n", kGrid);
  for (const double t : x.ticks()) {
    out += fmt::format("<path d=\"M{0:.1f} {1}V{2}\"/>\n", x(t), kTop, bottom);
  }
  for (const double t : y.ticks()) {
    out += fmt::format("<path d=\"M{0} {1:.1f}H{2}\"/>\n", kLeft, y(t), right);
  }
  out += "</g>\n";
  for (const double t : x.ticks()) {
    out += text_at(x(t), bottom + 18, "middle", fmt::format("{:.6g}", t));
  }
  for (const double t : y.ticks()) {
    out += text_at(kLeft - 8, y(t) + 4, "end", fmt::format("{:.6g}", t));
  }
  out += text_at((kLeft + right) / 2, kHeight - 18, "middle", chart.x.title);
  out += fmt::format(
      "<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      (kTop + bottom) / 2, escaped(chart.y.title));
  return out;
}

std::string step_line(const Series& series, const char* colour, const Mapping& x,
                      const Mapping& y) {
  std::vector<Mark> marks = series.marks;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.x < b.x; });
  std::string path;
  for (const Mark& mark : marks) {
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x(mark.x), y(mark.y))
                         : fmt::format("H{:.1f}V{:.1f}", x(mark.x), y(mark.y));
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path,
                     colour);
}

std::string drawing_of(const Series& series, std::size_t i, const Mapping& x, const Mapping& y) {
  const bool front = series.form == Series::Form::steps;
  std::string out;
  if (front && !series.marks.empty()) out += step_line(series, colour_of(i), x, y);
  out += fmt::format("<g fill=\"{}\" fill-opacity=\"{}\">\n", colour_of(i), front ? 1 : 0.45);
  for (const Mark& mark : series.marks) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.3g}\"", x(mark.x), y(mark.y),
                       (front ? 4 : 2.5) * mark.scale);
    out += mark.label.empty() ? "/>\n"
                              : fmt::format("><title>{}</title></circle>\n", escaped(mark.label));
  }
  return out + "</g>\n";
}

std::string legend(const std::vector<std::string>& names, double y) {
  std::string out;
  double x = kWidth - kRight;
  for (std::size_t i = names.size(); i-- > 0;) {
    x -= 22 + 7 * static_cast<double>(display_width(names[i]));
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y - 4,
                       colour_of(i));
    out += text_at(x + 8, y, "start", names[i]);
  }
  return out;
}

std::string draw(const Scatter& chart) {
  const Mapping x(chart.x, range_of(chart, [](const Mark& m) { return m.x; }),
                  {kLeft, kWidth - kRight});
  const Mapping y(chart.y, range_of(chart, [](const Mark& m) { return m.y; }),
                  {kHeight - kBottom, kTop});
  std::string out = head(kHeight, chart.title) + axes(chart, x, y);
  std::vector<std::string> names;
  for (const Series& series : chart.series) names.push_back(series.name);
  for (const auto form : {Series::Form::dots, Series::Form::steps}) {  // lines lie on top
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      if (chart.series[i].form == form) out += drawing_of(chart.series[i], i, x, y);
    }
  }
  return out + legend(names, kTop - 8) + "</svg>\n";
}

std::string draw(const StackedBars& chart) {
  const double height = kTop + kBarStep * static_cast<double>(chart.rows.size()) + kBottom;
  double most = 0;
  for (const auto& row : chart.rows) {
    most = std::max(most, std::accumulate(row.values.begin(), row.values.end(), 0.0));
  }
  const double room = kWidth - kLabelWidth - kTextWidth - kRight;
  const double scale = most > 0 ? room / most : 0;
  std::string out = head(height, chart.title);
  double y = kTop + 8;
  for (const auto& row : chart.rows) {
    out += text_at(kLabelWidth - 8, y + 13, "end", row.label);
    double x = kLabelWidth;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const double width = row.values[i] * scale;
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
          width, kBarHeight, colour_of(i));
      x += width;
    }
    out += text_at(x + 6, y + 13, "start", row.text);
    y += kBarStep;
  }
  out += text_at(kLabelWidth, y + 20, "start", chart.axis_title);
  return out + legend(chart.parts, kTop - 4) + "</svg>\n";
}

}  // namespace

void render_svg(const Chart& chart, const Sink& sink) {
  sink(std::visit([](const auto& c) { return draw(c); }, chart));
}

}  // namespace ridgeline::report
