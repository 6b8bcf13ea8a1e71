# What `cmake --install` installs, and the Debian packages that cpack makes of it: `mtf`, the command, `libmtf0`, the
# shared library, `mtf-mpi`, what both need for several ranks, and `libmtf-dev`, for programs that embed the language. .ci/package builds and tries them.

include(CMakePackageConfigHelpers)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(generated ${CMAKE_CURRENT_BINARY_DIR}/package)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/mtf)

# ---- libmtf0 ---------------------------------------------------------------------------------------------------------

install(TARGETS libmtf_shared EXPORT mtf-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  NAMELINK_COMPONENT development)

# ---- mtf-mpi, where MPI is there --------------------------------------------------------------------------------------

set(ranks "")
if(TARGET mtf_mpi)
  set(ranks ranks)
  install(TARGETS mtf_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mtf COMPONENT ranks)
endif()

# ---- libmtf-dev ------------------------------------------------------------------------------------------------------

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS libmtf EXPORT mtf-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/include/mtf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mtf-targets NAMESPACE mtf:: DESTINATION ${cmake_folder})
write_basic_package_version_file(${generated}/mtf-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${here}/mtf-config.cmake ${generated}/mtf-config-version.cmake DESTINATION ${cmake_folder})
file(RELATIVE_PATH MTF_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${here}/mtf.pc.in ${generated}/mtf.pc @ONLY)
install(FILES ${generated}/mtf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY tests/embed/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libmtf-dev/examples)

# ---- mtf-notebook, where its library is there ------------------------------------------------------------------------

set(notebook "")
if(TARGET mtf-kernel)
  set(notebook notebook)
  install(TARGETS mtf-kernel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT notebook)
  file(WRITE ${generated}/kernel.json "{
  \"argv\": [\"mtf-kernel\", \"-f\", \"{connection_file}\"],
  \"display_name\": \"mtf\",
  \"language\": \"mtf\",
  \"interrupt_mode\": \"signal\"
}
")
  install(FILES ${generated}/kernel.json DESTINATION ${CMAKE_INSTALL_DATADIR}/jupyter/kernels/mtf COMPONENT notebook)
endif()

# ---- mtf -------------------------------------------------------------------------------------------------------------

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME command)
set(documents ${CMAKE_INSTALL_DATADIR}/doc/mtf)
install(TARGETS mtf RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY examples DESTINATION ${documents} PATTERN run EXCLUDE)
# The program has the library built in. These copies are for people.
install(DIRECTORY stdlib DESTINATION ${documents})
install(FILES README.md DESTINATION ${documents})
install(DIRECTORY editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/mtf/editors)
install(FILES editors/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/mtf/editors)
install(DIRECTORY editors/pictures DESTINATION ${CMAKE_INSTALL_DATADIR}/mtf/editors)
install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles)
install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nvim/site)
install(FILES editors/emacs/mtf-mode.el DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp)
install(FILES ${here}/mtf.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mtf)

# gz(FILE NAME): compresses a file as Debian wants it, without a time.
find_program(MTF_GZIP gzip REQUIRED)
function(gz file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  execute_process(COMMAND ${MTF_GZIP} -9nc INPUT_FILE ${file} OUTPUT_FILE ${generated}/${name} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
gz(${here}/mtf.1 mtf.1.gz)
install(FILES ${generated}/mtf.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
gz(${here}/changelog changelog.Debian.gz)
foreach(package mtf:command libmtf0:runtime libmtf-dev:development mtf-notebook:${notebook} mtf-mpi:${ranks})
  if(package MATCHES ":$")
    continue()
  endif()
  string(REGEX REPLACE ".*:" "" component ${package})
  string(REGEX REPLACE ":.*" "" package ${package})
  install(FILES ${here}/copyright ${generated}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component})
endforeach()

# ---- The Debian packages ---------------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mtf)
set(CPACK_PACKAGE_CONTACT "the mtf developers <mtf-developers@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tensor language in which layout is part of the program")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL command runtime development ${notebook} ${ranks})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME mtf)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION math)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS mtf-mpi)
if(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps knows the packages of this machine alone: those of Debian 12 that have the libraries.
  set(needed "libantlr4-runtime4.9, libc6 (>= 2.36), libfmt9, libgcc-s1, libstdc++6 (>= 12), libutf8proc2, libxxhash0, zlib1g")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libjemalloc2, ${needed}")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${needed}")
else()
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "A script declares named dimensions, a mesh of processors, a layout (which
dimension is split over which axis of the mesh) and models. Wrong shapes and
layouts are refused before anything runs. Then each statement becomes one
program for all processors, on one process or under mpirun.
.
This package has the command, its standard library, examples, and files for
Vim and Visual Studio Code.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libmtf${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${here}/triggers)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "A script declares named dimensions, a mesh of processors, a layout (which
dimension is split over which axis of the mesh) and models. Then each
statement becomes one program for all processors.
.
This package has the shared library, for programs in C and in languages that
call C, such as Python.")

set(CPACK_DEBIAN_RANKS_PACKAGE_NAME mtf-mpi)
set(CPACK_DEBIAN_RANKS_PACKAGE_SECTION math)
set(CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS openmpi-bin)
if(CMAKE_CROSSCOMPILING)
  string(APPEND CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS ", libc6 (>= 2.36), libopenmpi3, libstdc++6 (>= 12)")
else()
  set(CPACK_DEBIAN_RANKS_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_RANKS_DESCRIPTION "A script declares named dimensions, a mesh of processors, a layout (which
dimension is split over which axis of the mesh) and models. Then each
statement becomes one program for all processors.
.
This package has what mtf and programs that embed it need to run as several
processes under mpirun.")

set(CPACK_DEBIAN_NOTEBOOK_PACKAGE_NAME mtf-notebook)
set(CPACK_DEBIAN_NOTEBOOK_PACKAGE_SECTION math)
set(CPACK_DEBIAN_NOTEBOOK_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_NOTEBOOK_PACKAGE_SUGGESTS "jupyter-notebook | jupyter-console")
set(CPACK_DEBIAN_NOTEBOOK_DESCRIPTION "A script declares named dimensions, a mesh of processors, a layout (which
dimension is split over which axis of the mesh) and models. Then each
statement becomes one program for all processors.
.
This package has the kernel for notebooks of Jupyter.")

# The static library: who links it needs what it needs, of the same ABI.
string(REGEX MATCH "^[0-9]+" fmt_major "${fmt_VERSION}")
math(EXPR fmt_next "${fmt_major} + 1")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmtf-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libmtf${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-1), libantlr4-runtime-dev, libfmt-dev (>= ${fmt_major}), libfmt-dev (<< ${fmt_next}), \
libutf8proc-dev, libxxhash-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS mtf)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "A script declares named dimensions, a mesh of processors, a layout (which
dimension is split over which axis of the mesh) and models. Then each
statement becomes one program for all processors.
.
This package has the headers, the static library for programs in C++, and what
CMake and pkg-config need to find them and the shared library.")
include(CPack)
