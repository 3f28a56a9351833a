// PostgreSQL's client library on demand: only who names a database of PostgreSQL loads it. Inside
// the room.
#pragma once

#include <libpq-fe.h>

#include "base/status.h"

#define FLYBALL_LIBPQ_ENTRIES(ENTRY) \
  ENTRY(PQconnectdbParams)           \
  ENTRY(PQfinish)                    \
  ENTRY(PQstatus)                    \
  ENTRY(PQerrorMessage)              \
  ENTRY(PQconninfo)                  \
  ENTRY(PQconninfoParse)             \
  ENTRY(PQconninfoFree)              \
  ENTRY(PQfreemem)                   \
  ENTRY(PQhost)                      \
  ENTRY(PQhostaddr)                  \
  ENTRY(PQsslInUse)                  \
  ENTRY(PQexec)                      \
  ENTRY(PQprepare)                   \
  ENTRY(PQsendQueryPrepared)         \
  ENTRY(PQsetSingleRowMode)          \
  ENTRY(PQgetResult)                 \
  ENTRY(PQresultStatus)              \
  ENTRY(PQresultErrorField)          \
  ENTRY(PQcmdTuples)                 \
  ENTRY(PQntuples)                   \
  ENTRY(PQftype)                     \
  ENTRY(PQgetisnull)                 \
  ENTRY(PQgetvalue)                  \
  ENTRY(PQgetlength)                 \
  ENTRY(PQclear)                     \
  ENTRY(PQgetCancel)                 \
  ENTRY(PQcancel)                    \
  ENTRY(PQfreeCancel)                \
  ENTRY(PQsetNoticeProcessor)        \
  ENTRY(PQputCopyData)               \
  ENTRY(PQputCopyEnd)

namespace flyball {

/// The functions of libpq.so.5 that are used, under their names.
struct Libpq {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration cannot stand in parentheses
#define FLYBALL_LIBPQ_MEMBER(name) decltype(&::name) name = nullptr;
  FLYBALL_LIBPQ_ENTRIES(FLYBALL_LIBPQ_MEMBER)
#undef FLYBALL_LIBPQ_MEMBER
};

/// Loaded at the first call, for good. Error unavailable: it is not installed, or this program is a
/// static one, which loads no libraries.
Result<const Libpq*> load_libpq();

}  // namespace flyball
