// Helpers for element-wise tests: values of any type in and out.
#pragma once

#include "fixture.hpp"

#include <cmath>
#include <cstdint>

/// What a host buffer of a device type is made of: halves are converted by the program itself.
template <typename T> poplar::Type typeOf() { return poplar::equivalent_device_type<T>().value; }
