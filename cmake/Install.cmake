# Installing, and the package that find_package(tessera) finds. Its components are `core`, always
# there, and `media`; each has its own list of targets so that a user of the core needs no codec.

include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/tessera")

install(DIRECTORY include/tessera DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT core)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT core)

# A DLL lies beside the programs, any other library beside the libraries.
if(WIN32)
    set(wgpu_destination "${CMAKE_INSTALL_BINDIR}")
else()
    set(wgpu_destination "${CMAKE_INSTALL_LIBDIR}")
endif()
install(PROGRAMS "${TESSERA_WGPU_LIBRARY}" DESTINATION "${wgpu_destination}" COMPONENT core)

install(TARGETS tessera EXPORT tessera_core COMPONENT core)
install(EXPORT tessera_core NAMESPACE tessera:: FILE tesseraCoreTargets.cmake
        DESTINATION "${package_folder}" COMPONENT core)

if(TARGET tessera_media)
    install(TARGETS tessera_media EXPORT tessera_media COMPONENT media)
    install(EXPORT tessera_media NAMESPACE tessera:: FILE tesseraMediaTargets.cmake
            DESTINATION "${package_folder}" COMPONENT media)
endif()

get_target_property(library_type tessera TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
    set(tessera_is_static ON)
else()
    set(tessera_is_static OFF)
endif()
configure_package_config_file(
    cmake/tesseraConfig.cmake.in "${PROJECT_BINARY_DIR}/tesseraConfig.cmake"
    INSTALL_DESTINATION "${package_folder}")
# Before 1.0 a minor version may break users.
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tesseraConfig.cmake"
              "${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT core)
