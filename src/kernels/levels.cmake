# Compiles the kernels once for each level (kernel_table.h). Of the folder's `sources` it takes those that depend on the
# level, and sets MTF_LEVEL_OBJECTS to one object for each level.

set(independent threads level loop_program loop_passes)
list(TRANSFORM independent REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/src/kernels/\\1.cpp")
set(level_sources ${sources})
list(REMOVE_ITEM level_sources ${independent})
set(sources ${independent})

# ---- Which levels ----------------------------------------------------------------------------------------------------

# `best`: the fastest that this processor runs. `usable`: all that it runs. `all`: all of the architecture.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(all_levels v2 v3 v4 v4-bf16)
  set(MTF_LEVEL_FLAGS_v2 -march=x86-64-v2)
  set(MTF_LEVEL_FLAGS_v3 -march=x86-64-v3)
  # Sums of short rows take a quarter longer with the generic tuning of g++ 12.
  set(MTF_LEVEL_FLAGS_v4 -march=x86-64-v4 -mtune=icelake-server)
  set(MTF_LEVEL_FLAGS_v4-bf16 -march=x86-64-v4 -mavx512bf16 -mtune=sapphirerapids)
else()
  set(all_levels ${CMAKE_SYSTEM_PROCESSOR})
endif()
if(CMAKE_CROSSCOMPILING)
  list(LENGTH all_levels usable_count)
else()
  file(WRITE ${CMAKE_BINARY_DIR}/level/ask.c
    "#include \"${CMAKE_CURRENT_SOURCE_DIR}/src/kernels/level_of_processor.h\"\nint main(void) { return mtf_levels_of_processor(); }\n")
  try_run(usable_count compiled ${CMAKE_BINARY_DIR}/level ${CMAKE_BINARY_DIR}/level/ask.c)
  if(NOT compiled OR usable_count STREQUAL FAILED_TO_RUN)
    message(FATAL_ERROR "Which levels of kernels this processor runs could not be found out.")
  endif()
endif()
list(SUBLIST all_levels 0 ${usable_count} usable_levels)
if(NOT usable_levels AND MTF_LEVELS MATCHES "^(best|usable)$")
  message(FATAL_ERROR "This processor runs none of the levels ${all_levels}: choose those of others with -DMTF_LEVELS=…")
endif()
if(MTF_LEVELS STREQUAL all OR (MTF_LEVELS MATCHES "^(best|usable)$" AND CMAKE_CROSSCOMPILING))
  set(levels ${all_levels})
elseif(MTF_LEVELS STREQUAL usable)
  set(levels ${usable_levels})
elseif(MTF_LEVELS STREQUAL best)
  list(GET usable_levels -1 levels)
else()
  set(levels ${MTF_LEVELS})
endif()
foreach(level IN LISTS levels)
  if(NOT level IN_LIST all_levels)
    message(FATAL_ERROR "MTF_LEVELS: there is no level '${level}'; expected best, usable, all, or some of ${all_levels}")
  endif()
endforeach()
message(STATUS "Kernels for: ${levels}")
set(MTF_TESTED_LEVELS "")  # those of this build that this processor runs
foreach(level IN LISTS levels)
  if(level IN_LIST usable_levels)
    list(APPEND MTF_TESTED_LEVELS ${level})
  endif()
endforeach()

# ---- One object for each ---------------------------------------------------------------------------------------------

set(MTF_LEVEL_OBJECTS "")
set(MTF_LEVEL_TARGETS "")  # for make, which knows the rule of an object only in its own target
set(level_macros "")
foreach(level IN LISTS levels)
  string(MAKE_C_IDENTIFIER ${level} symbol)
  string(APPEND level_macros "MTF_LEVEL(${symbol}, \"${level}\")")
  set(target mtf_kernels_${symbol})
  add_library(${target} OBJECT ${level_sources})
  mtf_enter_room(${target} kernels)
  target_include_directories(${target} SYSTEM PRIVATE ${MTF_EIGEN_INCLUDE_DIR})
  target_compile_definitions(${target} PRIVATE EIGEN_FAST_MATH=0 EIGEN_DONT_PARALLELIZE MTF_LEVEL_TABLE=mtf_kernels_${symbol})
  # Unique symbols would stay global.
  target_compile_options(${target} PRIVATE ${MTF_WARNINGS} $<$<NOT:$<CONFIG:Debug>>:-O3> ${MTF_LEVEL_FLAGS_${level}}
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  if(MTF_CHECKED)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
  endif()
  mtf_batch(${target} 6)  # each of which has instances of its own
  # All symbols but the table become local, inline functions too: the linker cannot merge them with those of other code.
  set(object ${CMAKE_BINARY_DIR}/level/${symbol}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} $<TARGET_OBJECTS:${target}>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=mtf_kernels_${symbol} ${object}
    DEPENDS $<TARGET_OBJECTS:${target}> COMMAND_EXPAND_LISTS VERBATIM COMMENT "Linking the kernels of ${level}")
  add_custom_target(${target}_object DEPENDS ${object})
  add_dependencies(${target}_object ${target})
  list(APPEND MTF_LEVEL_OBJECTS ${object})
  list(APPEND MTF_LEVEL_TARGETS ${target}_object)
endforeach()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernels/level.cpp PROPERTIES
  COMPILE_DEFINITIONS "MTF_LEVELS=${level_macros}" SKIP_UNITY_BUILD_INCLUSION ON)
