#ifdef FLYBALL_POSTGRES
#include "sql/libpq.h"

#include <dlfcn.h>

namespace flyball {
namespace {

Result<Libpq> load() {
  void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{Code::unavailable, "PostgreSQL's client library libpq.so.5 is not installed",
                 "install it (Debian: libpq5), or collect into a file: --into fleet.db"};
  Libpq found;
#define FLYBALL_LIBPQ_RESOLVE(name) \
  found.name = reinterpret_cast<decltype(found.name)>(::dlsym(library, #name));
  FLYBALL_LIBPQ_ENTRIES(FLYBALL_LIBPQ_RESOLVE)
#undef FLYBALL_LIBPQ_RESOLVE
#define FLYBALL_LIBPQ_FOUND(name)                                                       \
  if (!found.name)                                                                      \
    return Error{Code::unavailable, "the libpq.so.5 here is too old: it has no " #name, \
                 "install PostgreSQL's client library 12 or later"};
  FLYBALL_LIBPQ_ENTRIES(FLYBALL_LIBPQ_FOUND)
#undef FLYBALL_LIBPQ_FOUND
  return found;
}

}  // namespace

Result<const Libpq*> load_libpq() {
  static const Result<Libpq> loaded = load();
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace flyball
#endif
