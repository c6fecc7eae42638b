// What the element-wise codelets share.
#pragma once

#include <popops/codelet/Elements.hpp>
#include <popops/codelet/Operations.hpp>

#define POPOPS_INTEGER_TYPES(MACRO)                                                                                    \
  MACRO(int)                                                                                                           \
  MACRO(unsigned int)                                                                                                  \
  MACRO(short)                                                                                                         \
  MACRO(unsigned short)                                                                                                \
  MACRO(char)                                                                                                          \
  MACRO(signed char)                                                                                                   \
  MACRO(unsigned char)                                                                                                 \
  MACRO(long long)                                                                                                     \
  MACRO(unsigned long long)
#define POPOPS_NUMBER_TYPES(MACRO)                                                                                     \
  MACRO(float)                                                                                                         \
  MACRO(half)                                                                                                          \
  POPOPS_INTEGER_TYPES(MACRO)
