#include "print_tensor.hpp"
#include "../core/types.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <vector>

namespace dace_ipu_sim {

namespace {

using FloatFormat = poplar::PrintTensorFmt::FloatFormat;

// Digits before the decimal point of the largest finite value decide between fixed and scientific notation.
struct NumberStyle {
  bool scientific = false;
  int precision = 0;
};

class TensorWriter {
public:
  TensorWriter(poplar::Type type, const Shape &shape, const char *data, const poplar::PrintTensorFmt &format)
      : type_(type), shape_(shape), data_(data), format_(format), elements_(product(shape)) {
    cut_ = elements_ > format.summariseThreshold;
    if (type_.isFloatingPoint())
      chooseStyle();
  }

  std::string text() {
    if (shape_.empty())
      return number(0);
    write(0, 0);
    return out_.str();
  }

private:
  void chooseStyle() {
    double largest = 0, smallest = 0;
    for (std::size_t i = 0; i < elements_; ++i) {
      const double d = std::fabs(element(i));
      if (!std::isfinite(d) || d == 0)
        continue;
      largest = std::max(largest, d);
      smallest = smallest == 0 ? d : std::min(smallest, d);
    }
    const int whole = largest >= 1 ? static_cast<int>(std::log10(largest)) + 1 : 1;
    const int digits = static_cast<int>(format_.digits);
    style_.scientific =
        format_.floatFormat == FloatFormat::Scientific ||
        (format_.floatFormat == FloatFormat::Auto && (whole >= digits || (smallest != 0 && smallest < 1e-4)));
    style_.precision = style_.scientific ? std::max(0, digits - 1) : std::max(0, digits - whole);
  }

  double element(std::size_t i) const { return readElement(type_, data_ + i * sizeOf(type_)); }

  std::string number(std::size_t i) const {
    std::ostringstream os;
    if (!type_.isFloatingPoint()) {
      os << readInteger(type_, data_ + i * sizeOf(type_));
      return os.str();
    }
    if (format_.floatFormat != FloatFormat::None)
      os << (style_.scientific ? std::scientific : std::fixed) << std::setprecision(style_.precision);
    os << element(i);
    return os.str();
  }

  // Indices of a dimension to show; `gap` is the place of the dots.
  std::vector<std::size_t> shown(std::size_t size, std::size_t *gap) const {
    std::vector<std::size_t> indices;
    const std::size_t edge = format_.edgeItems;
    const bool cut = cut_ && size > 2 * edge;
    *gap = cut ? edge : size;
    for (std::size_t i = 0; i < size; ++i)
      if (!cut || i < edge || i >= size - edge)
        indices.push_back(i);
    return indices;
  }

  void separate(std::size_t dim, std::size_t *column) {
    if (dim + 1 < shape_.size()) {
      out_ << '\n' << std::string(2 * (dim + 1), ' ');
    } else {
      out_ << format_.separator;
      ++*column;
    }
  }

  void write(std::size_t dim, std::size_t first) {
    std::size_t inner = 1;
    for (std::size_t d = dim + 1; d < shape_.size(); ++d)
      inner *= shape_[d];
    std::size_t gap = 0;
    const std::vector<std::size_t> indices = shown(shape_[dim], &gap);
    out_ << format_.openBracket;
    if (dim + 1 < shape_.size())
      out_ << '\n' << std::string(2 * (dim + 1), ' ');
    std::size_t column = 0;
    for (std::size_t n = 0; n < indices.size(); ++n) {
      if (n > 0)
        separate(dim, &column);
      if (n == gap && gap < shape_[dim]) {
        out_ << "...";
        separate(dim, &column);
      }
      writeItem(dim, first + indices[n] * inner, &column);
    }
    if (dim + 1 < shape_.size())
      out_ << '\n' << std::string(2 * dim, ' ');
    out_ << format_.closeBracket;
  }

  void writeItem(std::size_t dim, std::size_t at, std::size_t *column) {
    if (dim + 1 < shape_.size())
      return write(dim + 1, at);
    const std::string text = number(at);
    if (*column > 0 && *column + text.size() > format_.maxLineWidth) {
      out_ << '\n' << std::string(2 * dim + 1, ' ');
      *column = 0;
    }
    out_ << text;
    *column += text.size();
  }

  poplar::Type type_;
  const Shape &shape_;
  const char *data_;
  const poplar::PrintTensorFmt &format_;
  std::size_t elements_;
  bool cut_ = false;
  NumberStyle style_;
  std::ostringstream out_;
};

} // namespace

std::string formatTensor(const std::string &title, poplar::Type type, const Shape &shape, const char *data,
                         const poplar::PrintTensorFmt &format) {
  const std::string text = TensorWriter(type, shape, data, format).text();
  return title.empty() ? text : title + ": " + text;
}

} // namespace dace_ipu_sim
