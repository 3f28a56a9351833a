# How much of each kind of source is optimised in a release build. Optimising takes half of the time of a compiler,
# and what waits or checks gains nothing by it. Sources of no kind below are what predictions, searches,
# loaders and simulations spend their time in, and stay at the level of the build type.
#   COLD   rooms that wait for files, boards or people
#   TORCH  what calls LibTorch, whose kernels take the time
#   KERNEL a room's KERNELS among them
#   TEST   what only checks; what it checks is compiled as ever. Sanitizers make optimising the dearest part of
#          a build (26 s to 13 s for one test).
#   COMMAND_TEST  tests that only run the program. Those of rooms run headers of ours and of Eigen, too.
set(FLYBALL_LEVEL_COLD $<$<CONFIG:Release>:-O1>)
set(FLYBALL_LEVEL_TORCH $<$<CONFIG:Release>:-O1>)
set(FLYBALL_LEVEL_KERNEL $<$<CONFIG:Release>:-O3>)
set(FLYBALL_LEVEL_TEST $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
set(FLYBALL_LEVEL_COMMAND_TEST $<$<CONFIG:Release>:-O0>)
