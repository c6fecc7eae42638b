// Parameters of convolutions that belong to others: getGradientParams.
#ifndef poplin_ConvUtil_hpp
#define poplin_ConvUtil_hpp

#include <poplin/Convolution.hpp>

#endif
