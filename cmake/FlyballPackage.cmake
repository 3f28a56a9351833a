# What packages hold beside the program, and how CPack makes one for Debian (scripts/release does all of it).
# Components: program (the program, its manual, completions, examples, the Python package), units (of the helper,
# for /usr/bin/flyball), debian (what Debian wants said of a package), archive (what a plain archive has instead).
set(FLYBALL_PAPERS ${CMAKE_BINARY_DIR}/papers)
set(FLYBALL_MAINTAINER "The Flyball Authors <flyball@localhost>" CACHE STRING "Whom a package names as its maintainer")
# Written by the program itself, so that they say what it does; the dates are those of SOURCE_DATE_EPOCH.
add_custom_target(flyball_papers
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${FLYBALL_PAPERS}
  COMMAND flyball man --out ${FLYBALL_PAPERS}/man1
  COMMAND flyball completion bash > ${FLYBALL_PAPERS}/flyball
  COMMAND flyball completion zsh > ${FLYBALL_PAPERS}/_flyball
  COMMAND flyball completion fish > ${FLYBALL_PAPERS}/flyball.fish
  COMMAND ${CMAKE_COMMAND} -DOUT=${FLYBALL_PAPERS}/changelog.Debian -DVERSION=${PROJECT_VERSION}-1
          -DMAINTAINER=${FLYBALL_MAINTAINER} -P ${CMAKE_SOURCE_DIR}/packaging/changelog.cmake
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${FLYBALL_PAPERS}/changelog
  COMMAND ${CMAKE_SOURCE_DIR}/packaging/third-party > ${FLYBALL_PAPERS}/third-party
  COMMAND sh -c "gzip -9n papers/man1/*.1 papers/changelog* papers/third-party"
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  VERBATIM)
add_dependencies(flyball_papers flyball)

set(documents ${CMAKE_INSTALL_DATADIR}/doc/flyball)
install(DIRECTORY ${FLYBALL_PAPERS}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program OPTIONAL)
install(FILES ${FLYBALL_PAPERS}/flyball DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT program OPTIONAL)
install(FILES ${FLYBALL_PAPERS}/_flyball DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
        COMPONENT program OPTIONAL)
install(FILES ${FLYBALL_PAPERS}/flyball.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program OPTIONAL)
# Services of helper and metrics server, for systems with packages. They name the program where `cmake --install --prefix`
# puts it, so they are written as they are installed.
foreach(service src/device/helper/units/flyball-helper.service packaging/systemd/flyball-metrics.service)
  get_filename_component(name ${service} NAME)
  install(CODE "get_filename_component(FLYBALL_PROGRAM \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/flyball\" ABSOLUTE)
configure_file(\"${CMAKE_SOURCE_DIR}/${service}.in\" \"${CMAKE_BINARY_DIR}/${name}\" @ONLY)" COMPONENT units)
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION lib/systemd/system COMPONENT units)
endforeach()
install(FILES packaging/systemd/flyball-metrics.socket DESTINATION lib/systemd/system COMPONENT units)
# The dashboard and its alerts.
install(FILES packaging/grafana/flyball.json packaging/grafana/flyball.rules.yml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/flyball/grafana COMPONENT program)
install(DIRECTORY examples experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/flyball COMPONENT program)
# Messages name documents as they lie in the sources: docs/data.md.
install(DIRECTORY docs DESTINATION ${documents} COMPONENT program FILES_MATCHING PATTERN "*.md" PATTERN "*.json")
# Turns under a broker, for programs in C and C++: nothing to link.
install(FILES include/flyball/flyball_turn.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/flyball COMPONENT program)
install(FILES NOTICE DESTINATION ${documents} COMPONENT program)
install(FILES ${FLYBALL_PAPERS}/third-party.gz DESTINATION ${documents} COMPONENT program OPTIONAL)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${documents} COMPONENT archive)
install(FILES packaging/debian/copyright DESTINATION ${documents} COMPONENT debian)
install(FILES packaging/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME flyball
        COMPONENT debian)
install(FILES ${FLYBALL_PAPERS}/changelog.gz ${FLYBALL_PAPERS}/changelog.Debian.gz DESTINATION ${documents}
        COMPONENT debian OPTIONAL)

# A package is one program that needs nothing of what is installed beside it.
if(NOT FLYBALL_STATIC)
  return()
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Flyball Authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program units debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_NAME flyball)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${FLYBALL_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The program itself needs nothing; flyball-nvml needs the C library, of 2.17 or later.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
# The helper is started by systemd, where there is one.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "systemd, bash-completion")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds the power mode for a neural network on an edge board")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Which power mode, batch size and loader settings should a neural network
train or serve with, on this board, within so many watts? Flyball measures
about ten configurations instead of thousands, models time and power of the
others, chooses within budgets, and says of every number how it is known.

It knows NVIDIA Jetson boards, plain Linux machines, and simulated boards.

This is one static program, and a small one that asks NVIDIA's library.
Networks of its own and ONNX files need libraries that it does not load;
tuning of a program of yours, of measured tables and of simulated boards
do not.")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/postinst
    ${CMAKE_SOURCE_DIR}/packaging/debian/prerm ${CMAKE_SOURCE_DIR}/packaging/debian/postrm)
include(CPack)
