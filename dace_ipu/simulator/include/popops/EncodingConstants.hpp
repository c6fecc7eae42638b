// Codes with a meaning of their own.
#ifndef popops_EncodingConstants_hpp
#define popops_EncodingConstants_hpp

/// An index to be ignored.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

/// What is added before a natural logarithm.
#define EPS_LOG_N_FLOAT (1.17549435e-38F)
#define EPS_LOG_N_HALF (0.000000059605F)

#endif
