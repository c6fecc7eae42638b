# Compiles what generated programs call into the program itself: there is no library built against this SDK.
file(GLOB DACE_IPU_RUNTIME_SOURCES ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(APPEND DACE_CPP_FILES ${DACE_IPU_RUNTIME_SOURCES})
