# wgpu-native, the implementation of webgpu.h, as the target tessera::wgpu_native.
#
# The Python package `wgpu` holds it, headers included, so pip fetches one pinned wheel, checked by
# its hash, when the build is configured. All presets share one copy in build/deps.
# Set TESSERA_WGPU_DIR to use a copy of your own: a folder with webgpu.h, wgpu.h and the library.

set(wgpu_version 0.32.0)
set(TESSERA_WGPU_DIR "" CACHE PATH
    "Folder with webgpu.h, wgpu.h and libwgpu_native (empty: fetch it)")

if(WIN32)
    set(wgpu_library_name wgpu_native-release.dll)
elseif(APPLE)
    set(wgpu_library_name libwgpu_native-release.dylib)
else()
    set(wgpu_library_name libwgpu_native-release.so)
endif()

function(tessera_fetch_wgpu folder)
    string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" machine)
    if(machine MATCHES "linux-(x86_64|amd64)")
        set(hash 6499a31b5a29a10b4f1089fea4a0806411f42605fa86b6c0b543a07ca0de8568)
    elseif(machine MATCHES "linux-(aarch64|arm64)")
        set(hash 00454ba1bc794d38c8365f4ad29f381b88ce0a7f115133bfaa6f1dfad7eb2764)
    elseif(machine MATCHES "darwin-arm64")
        set(hash 6c3f654ea01ab2de8a2903354ced02a3c6ef161d0fba1aa4fea60aa86d021908)
    elseif(machine MATCHES "darwin-x86_64")
        set(hash cfd3967616a3c42e2b7a234407df38668c697f5aa505d56e0814d647b6746302)
    else()
        message(FATAL_ERROR "There is no ready-made wgpu-native ${wgpu_version} for ${machine}: "
                            "build it, and set TESSERA_WGPU_DIR to a folder with webgpu.h, wgpu.h "
                            "and ${wgpu_library_name}.")
    endif()

    # Work beside the goal and rename at the end, so that a broken download leaves nothing behind.
    set(work "${folder}.part")
    file(REMOVE_RECURSE "${work}")
    # pip takes hashes from a requirements file only.
    file(WRITE "${work}/requirements.txt" "wgpu==${wgpu_version} --hash=sha256:${hash}\n")
    message(STATUS "Fetching wgpu-native ${wgpu_version}")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(
        COMMAND "${Python3_EXECUTABLE}" -m pip download --quiet --no-deps --only-binary=:all:
                --require-hashes --requirement "${work}/requirements.txt" --dest "${work}"
        RESULT_VARIABLE failed ERROR_VARIABLE reason)
    file(GLOB wheel "${work}/wgpu-*.whl")
    if(failed OR NOT wheel)
        message(FATAL_ERROR "pip could not fetch the package wgpu ${wgpu_version}:\n${reason}\n"
                            "Set TESSERA_WGPU_DIR to a folder with webgpu.h, wgpu.h and "
                            "${wgpu_library_name} to do without.")
    endif()
    file(ARCHIVE_EXTRACT INPUT "${wheel}" DESTINATION "${work}" PATTERNS "wgpu/resources/*")
    file(REMOVE_RECURSE "${folder}")
    file(RENAME "${work}/wgpu/resources" "${folder}")
    file(REMOVE_RECURSE "${work}")
endfunction()

if(TESSERA_WGPU_DIR)
    set(wgpu_folder "${TESSERA_WGPU_DIR}")
else()
    if(PROJECT_IS_TOP_LEVEL)
        set(wgpu_folder "${PROJECT_SOURCE_DIR}/build/deps/wgpu-native-${wgpu_version}")
    else()
        set(wgpu_folder "${PROJECT_BINARY_DIR}/deps/wgpu-native-${wgpu_version}")
    endif()
    # Two presets may be configured at once.
    file(LOCK "${wgpu_folder}.lock" TIMEOUT 300)
    if(NOT EXISTS "${wgpu_folder}/${wgpu_library_name}")
        tessera_fetch_wgpu("${wgpu_folder}")
    endif()
    file(LOCK "${wgpu_folder}.lock" RELEASE)
endif()

unset(TESSERA_WGPU_INCLUDE_DIR CACHE)
unset(TESSERA_WGPU_LIBRARY CACHE)
find_path(TESSERA_WGPU_INCLUDE_DIR wgpu.h HINTS "${wgpu_folder}"
          PATH_SUFFIXES include include/webgpu NO_DEFAULT_PATH REQUIRED)
find_file(TESSERA_WGPU_LIBRARY "${wgpu_library_name}" HINTS "${wgpu_folder}"
          PATH_SUFFIXES lib NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(TESSERA_WGPU_INCLUDE_DIR TESSERA_WGPU_LIBRARY)

# The library carries no SONAME. Told so, CMake links it by name and not by path, and the loader
# then finds it through the RPATH wherever it was moved to.
add_library(tessera::wgpu_native SHARED IMPORTED GLOBAL)
set_target_properties(tessera::wgpu_native PROPERTIES
    IMPORTED_LOCATION "${TESSERA_WGPU_LIBRARY}"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${TESSERA_WGPU_INCLUDE_DIR}")
