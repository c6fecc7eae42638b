// PrintTensorFmt: how PrintTensor writes numbers.
#ifndef poplar_PrintTensor_hpp
#define poplar_PrintTensor_hpp

namespace poplar {

/// Layout of printed tensors. Tensors of more than `summariseThreshold` elements are cut to `edgeItems` at each end.
struct PrintTensorFmt {
  enum class FloatFormat { Auto, Fixed, Scientific, None };

  static constexpr unsigned DefaultSummariseThreshold = 1000;
  static constexpr unsigned DefaultEdgeItems = 3;
  static constexpr unsigned DefaultMaxLineWidth = 75;
  static constexpr unsigned DefaultDigits = 8;

  PrintTensorFmt(unsigned summariseThreshold = 1000, unsigned edgeItems = 3, unsigned maxLineWidth = 75,
                 unsigned digits = 8, FloatFormat floatFormat = FloatFormat::Auto, char separator = ' ',
                 char openBracket = '[', char closeBracket = ']')
      : summariseThreshold(summariseThreshold), edgeItems(edgeItems), maxLineWidth(maxLineWidth), digits(digits),
        floatFormat(floatFormat), separator(separator), openBracket(openBracket), closeBracket(closeBracket) {}

  unsigned summariseThreshold;
  unsigned edgeItems;
  unsigned maxLineWidth;
  unsigned digits; ///< significant digits
  FloatFormat floatFormat;
  char separator;
  char openBracket;
  char closeBracket;
};

} // namespace poplar

#endif
