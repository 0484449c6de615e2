# ridgeline_web_bundle(TARGET): a library that holds the files of web/dist, each gzipped, in the program.
# Without npm, without web/ or with RIDGELINE_WEB off it holds none, and the server answers the API alone.
function(ridgeline_web_bundle target)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/bundle)
  file(MAKE_DIRECTORY ${out})
  find_program(NPM npm)
  set(web ${PROJECT_SOURCE_DIR}/web)
  if(RIDGELINE_WEB AND NPM AND EXISTS ${web}/package.json)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/public/*)
    file(GLOB top CONFIGURE_DEPENDS ${web}/*.json ${web}/*.html ${web}/*.ts)
    add_custom_command(
      OUTPUT ${out}/assets.S ${out}/assets.inc
      COMMAND ${NPM} ci --no-audit --no-fund
      COMMAND ${NPM} run build
      COMMAND ${CMAKE_COMMAND} -DDIST=${web}/dist -DOUT=${out}
        -P ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
      DEPENDS ${sources} ${top} ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
      WORKING_DIRECTORY ${web} VERBATIM)
  else()
    add_custom_command(
      OUTPUT ${out}/assets.S ${out}/assets.inc
      COMMAND ${CMAKE_COMMAND} -DDIST= -DOUT=${out} -P ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
      DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake VERBATIM)
  endif()
  add_library(${target} STATIC ${out}/assets.S ${out}/assets.inc)
  target_include_directories(${target} PRIVATE ${out})
endfunction()
