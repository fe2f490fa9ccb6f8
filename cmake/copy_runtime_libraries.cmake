# cmake -DPROGRAM=... -DDESTINATION=... -P copy_runtime_libraries.cmake
# Copies the shared libraries that PROGRAM needs to the folder DESTINATION, but for those of the C
# and C++ runtime, which belong to the machine it will run on, and those beside the program.
file(REMOVE_RECURSE "${DESTINATION}")
get_filename_component(program_folder "${PROGRAM}" DIRECTORY)
file(GET_RUNTIME_DEPENDENCIES
     EXECUTABLES "${PROGRAM}"
     RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR unresolved
     DIRECTORIES "${program_folder}"
     PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+))\\.so")
if(unresolved)
    message(FATAL_ERROR "${PROGRAM} needs libraries that are not here: ${unresolved}")
endif()
foreach(library IN LISTS libraries)
    get_filename_component(folder "${library}" DIRECTORY)
    if(NOT folder STREQUAL program_folder)
        file(COPY "${library}" DESTINATION "${DESTINATION}" FOLLOW_SYMLINK_CHAIN)
    endif()
endforeach()
