// HostCallback and HostCallbackHandle, which Engine.hpp declares.
#ifndef poplar_HostFunctionCallback_hpp
#define poplar_HostFunctionCallback_hpp

#include "Engine.hpp"

#endif
