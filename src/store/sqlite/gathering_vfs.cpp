#include "store/sqlite/gathering_vfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace acceptd::store::sqlite {
namespace {

constexpr std::size_t kGatheredBytes = GatheringVfs::kGatheredBytes;

sqlite3_vfs* base_of(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

/// The log. The base's file lies behind it, in the room that SQLite gave.
struct Log : sqlite3_file {
  std::unique_ptr<char[]> gathered = std::make_unique_for_overwrite<char[]>(kGatheredBytes);
  sqlite3_int64 begin = 0;  ///< where `gathered` belongs
  std::size_t size = 0;
  sqlite3_file* base() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  int flush() {
    if (size == 0) return SQLITE_OK;
    const int amount = static_cast<int>(std::exchange(size, 0));
    return base()->pMethods->xWrite(base(), gathered.get(), amount, begin);
  }
};
static_assert(sizeof(Log) % 8 == 0);  // SQLite aligns to 8, and so does what lies behind

Log& log_of(sqlite3_file* file) { return *static_cast<Log*>(file); }

int log_close(sqlite3_file* file) {
  Log& log = log_of(file);
  log.size = 0;  // of a transaction that was not committed: its frames could overwrite a neighbour's
  const int code = log.base()->pMethods->xClose(log.base());
  log.~Log();
  return code;
}

int log_read(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
  Log& log = log_of(file);
  if (const int code = log.flush(); code != SQLITE_OK) return code;
  return log.base()->pMethods->xRead(log.base(), out, amount, offset);
}

int log_write(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
  Log& log = log_of(file);
  const auto bytes = static_cast<std::size_t>(amount);
  const bool goes_on = offset == log.begin + static_cast<sqlite3_int64>(log.size);
  if (!goes_on || log.size + bytes > kGatheredBytes)
    if (const int code = log.flush(); code != SQLITE_OK) return code;
  if (bytes > kGatheredBytes) return log.base()->pMethods->xWrite(log.base(), data, amount, offset);
  if (log.size == 0) log.begin = offset;
  std::memcpy(log.gathered.get() + log.size, data, bytes);
  log.size += bytes;
  return SQLITE_OK;
}

int log_truncate(sqlite3_file* file, sqlite3_int64 size) {
  Log& log = log_of(file);
  if (const int code = log.flush(); code != SQLITE_OK) return code;
  return log.base()->pMethods->xTruncate(log.base(), size);
}

int log_sync(sqlite3_file* file, int flags) {
  Log& log = log_of(file);
  if (const int code = log.flush(); code != SQLITE_OK) return code;
  return log.base()->pMethods->xSync(log.base(), flags);
}

int log_size(sqlite3_file* file, sqlite3_int64* size) {
  Log& log = log_of(file);
  if (const int code = log.flush(); code != SQLITE_OK) return code;
  return log.base()->pMethods->xFileSize(log.base(), size);
}

constexpr sqlite3_io_methods kLogMethods{
    .iVersion = 1,  // the shared memory of a log belongs to the database's file
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = [](sqlite3_file* file, int level) { return log_of(file).base()->pMethods->xLock(log_of(file).base(), level); },
    .xUnlock = [](sqlite3_file* file, int level) { return log_of(file).base()->pMethods->xUnlock(log_of(file).base(), level); },
    .xCheckReservedLock = [](sqlite3_file* file,
                             int* out) { return log_of(file).base()->pMethods->xCheckReservedLock(log_of(file).base(), out); },
    .xFileControl = [](sqlite3_file* file, int op,
                       void* argument) { return log_of(file).base()->pMethods->xFileControl(log_of(file).base(), op, argument); },
    .xSectorSize = [](sqlite3_file* file) { return log_of(file).base()->pMethods->xSectorSize(log_of(file).base()); },
    .xDeviceCharacteristics =
        [](sqlite3_file* file) { return log_of(file).base()->pMethods->xDeviceCharacteristics(log_of(file).base()); },
};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* base = base_of(vfs);
  if ((flags & SQLITE_OPEN_WAL) == 0) return base->xOpen(base, name, file, flags, out_flags);
  file->pMethods = nullptr;
  try {
    auto* log = new (file) Log{};
    const int code = base->xOpen(base, name, log->base(), flags, out_flags);
    if (code == SQLITE_OK)
      log->pMethods = &kLogMethods;
    else
      log->~Log();
    return code;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

}  // namespace

GatheringVfs::GatheringVfs(const std::string& base_name) {
  sqlite3_vfs* base = sqlite3_vfs_find(base_name.empty() ? nullptr : base_name.c_str());
  if (!base) throw std::runtime_error(fmt::format("there is no VFS '{}'", base_name));
  name_ = fmt::format("gathering-{}", static_cast<const void*>(this));
  vfs_ = *base;  // what follows is the base's, called with itself
  vfs_.pNext = nullptr;
  vfs_.iVersion = std::min(base->iVersion, 2);
  vfs_.szOsFile = static_cast<int>(sizeof(Log)) + base->szOsFile;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = base;
  vfs_.xOpen = open_file;
  vfs_.xDelete = [](sqlite3_vfs* vfs, const char* file, int sync) { return base_of(vfs)->xDelete(base_of(vfs), file, sync); };
  vfs_.xAccess = [](sqlite3_vfs* vfs, const char* file, int flags, int* out) {
    return base_of(vfs)->xAccess(base_of(vfs), file, flags, out);
  };
  vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* file, int size, char* out) {
    return base_of(vfs)->xFullPathname(base_of(vfs), file, size, out);
  };
  vfs_.xRandomness = [](sqlite3_vfs* vfs, int size, char* out) { return base_of(vfs)->xRandomness(base_of(vfs), size, out); };
  vfs_.xSleep = [](sqlite3_vfs* vfs, int microseconds) { return base_of(vfs)->xSleep(base_of(vfs), microseconds); };
  if (base->xCurrentTime)
    vfs_.xCurrentTime = [](sqlite3_vfs* vfs, double* out) { return base_of(vfs)->xCurrentTime(base_of(vfs), out); };
  if (base->iVersion >= 2 && base->xCurrentTimeInt64)
    vfs_.xCurrentTimeInt64 = [](sqlite3_vfs* vfs, sqlite3_int64* out) {
      return base_of(vfs)->xCurrentTimeInt64(base_of(vfs), out);
    };
  if (base->xGetLastError)
    vfs_.xGetLastError = [](sqlite3_vfs* vfs, int size, char* out) {
      return base_of(vfs)->xGetLastError(base_of(vfs), size, out);
    };
  vfs_.xDlOpen = nullptr;  // no extensions are loaded
  vfs_.xDlError = nullptr;
  vfs_.xDlSym = nullptr;
  vfs_.xDlClose = nullptr;
  sqlite3_vfs_register(&vfs_, 0);
}

GatheringVfs::~GatheringVfs() { sqlite3_vfs_unregister(&vfs_); }

}  // namespace acceptd::store::sqlite
