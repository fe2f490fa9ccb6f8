# The test of the installed package; tests/CMakeLists.txt says with what.
function(step)
    execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
step("${CMAKE_COMMAND}" --install "${BUILD}" --config "${CONFIG}" --prefix "${WORK}/prefix")
# Moved after installing: a package that holds a path of its build would fail here.
file(RENAME "${WORK}/prefix" "${WORK}/moved")
step("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
     "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
     "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_PREFIX_PATH=${WORK}/moved")
step("${CMAKE_COMMAND}" --build "${WORK}/build" --config "${CONFIG}")
find_program(consumer consumer PATHS "${WORK}/build" "${WORK}/build/${CONFIG}"
             NO_DEFAULT_PATH REQUIRED)
step("${consumer}")
if(EXISTS "${WORK}/moved/bin/tessera")
    step("${WORK}/moved/bin/tessera" --version)
endif()
