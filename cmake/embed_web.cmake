# Gzips each file of DIST (empty: none) and writes OUT/assets.S, which includes their bytes, and
# OUT/assets.inc: X(number, "/path") per file.
set(assembly ".section .rodata\n")
set(list "")
set(number 0)
if(DIST)
  file(GLOB_RECURSE files RELATIVE ${DIST} ${DIST}/*)
  list(SORT files)
endif()
foreach(name IN LISTS files)
  set(packed ${OUT}/asset_${number}.gz)
  execute_process(COMMAND gzip -9nc ${DIST}/${name} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND assembly
    ".global ridgeline_asset_${number}\n.global ridgeline_asset_${number}_end\n"
    "ridgeline_asset_${number}:\n.incbin \"${packed}\"\nridgeline_asset_${number}_end:\n")
  string(APPEND list "X(${number}, \"/${name}\")\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND assembly ".section .note.GNU-stack,\"\",@progbits\n")
file(WRITE ${OUT}/assets.S "${assembly}")
file(WRITE ${OUT}/assets.inc "${list}")
