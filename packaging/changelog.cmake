# Debian's record of a package: cmake -DOUT=FILE -DVERSION=0.1.0-1 -DMAINTAINER='NAME <ADDRESS>' -P packaging/changelog.cmake
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
file(WRITE ${OUT} "flyball (${VERSION}) unstable; urgency=medium

  * What changed stands in changelog.gz.

 -- ${MAINTAINER}  ${date}
")
