// What the frame code and the state struct of a DaCe program have to know of the device programs: a name.
// DaCe's frame file includes it; it must stay free of Poplar and of the standard library.
#ifndef DACE_IPU_FORWARD_HPP
#define DACE_IPU_FORWARD_HPP

namespace dace_ipu {

// All device programs of one compiled SDFG and what they need to run; defined in the generated host file.
class Programs;

} // namespace dace_ipu

#endif // DACE_IPU_FORWARD_HPP
