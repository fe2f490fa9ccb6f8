# OpenCV's core and imgproc as the target tessera_opencv, if they are there. Not by
# find_package(OpenCV): its config file comes with all of OpenCV, and two small modules are enough.
include_guard(GLOBAL)

find_path(OPENCV_INCLUDE_DIR opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
find_library(OPENCV_CORE opencv_core)
find_library(OPENCV_IMGPROC opencv_imgproc)
mark_as_advanced(OPENCV_INCLUDE_DIR OPENCV_CORE OPENCV_IMGPROC)

if(OPENCV_INCLUDE_DIR AND OPENCV_CORE AND OPENCV_IMGPROC)
    add_library(tessera_opencv INTERFACE IMPORTED GLOBAL)
    target_include_directories(tessera_opencv SYSTEM INTERFACE "${OPENCV_INCLUDE_DIR}")
    target_link_libraries(tessera_opencv INTERFACE "${OPENCV_IMGPROC}" "${OPENCV_CORE}")
else()
    message(STATUS "OpenCV (core, imgproc) is not installed: what compares with it is left out")
endif()
