#include "support/fault_vfs.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <new>
#include <random>
#include <set>
#include <vector>

namespace acceptd::testing {
namespace {

constexpr std::size_t kSectorBytes = 512;
constexpr int kShmLocks = SQLITE_SHM_NLOCK;

struct Change {
  enum class Kind { write, truncate } kind = Kind::write;
  std::size_t offset = 0;  // truncate: the new size
  std::string data;
};

void put_change(std::string& image, const Change& change) {
  if (change.kind == Change::Kind::truncate) {
    image.resize(change.offset);
    return;
  }
  if (image.size() < change.offset + change.data.size()) image.resize(change.offset + change.data.size());
  image.replace(change.offset, change.data.size(), change.data);
}

struct Handle;

struct File {
  std::string current;           // what programs see
  std::string synced;            // what the disk holds for sure
  std::vector<Change> unsynced;  // in order, since the last sync
  bool entry_synced = false;     // its directory entry is on the disk
  std::set<Handle*> handles;
  std::vector<std::unique_ptr<std::vector<char>>> shared_memory;
};

}  // namespace

struct FaultVfs::Disk {
  std::string name;
  sqlite3_vfs vfs{};
  std::map<std::string, std::shared_ptr<File>> files;
  std::map<std::string, std::shared_ptr<File>> unlinked;  // deleted, but the directory was not synced since
  std::uint64_t calls = 0;
  std::uint64_t fail_call = 0;
  Fault fault = Fault::none;
  bool full = false;
  bool dead = false;
  std::uint64_t generation = 0;  // of power; handles of former ones are void

  /// Counts a call that changes the disk. Not SQLITE_OK: it must fail so, having done nothing.
  int change(int io_error) {
    if (dead) return io_error;
    ++calls;
    if (full && io_error == SQLITE_IOERR_WRITE) return SQLITE_FULL;
    if (fail_call == 0 || calls != fail_call) return SQLITE_OK;
    if (fault == Fault::power_cut) dead = true;
    if (fault == Fault::disk_full) {
      full = true;
      return io_error == SQLITE_IOERR_WRITE ? SQLITE_FULL : SQLITE_OK;
    }
    return fault == Fault::none ? SQLITE_OK : io_error;
  }
};

namespace {

using Disk = FaultVfs::Disk;

struct Handle : sqlite3_file {
  Disk* disk = nullptr;
  std::shared_ptr<File> file;
  std::string path;
  std::uint64_t generation = 0;
  int lock = SQLITE_LOCK_NONE;
  std::array<bool, kShmLocks> shared{}, exclusive{};
  bool delete_on_close = false;

  bool is_void() const { return disk->dead || generation != disk->generation; }
};

Handle& handle_of(sqlite3_file* file) { return *static_cast<Handle*>(file); }

int close_file(sqlite3_file* file) {
  Handle& handle = handle_of(file);
  if (handle.file) handle.file->handles.erase(&handle);
  if (handle.delete_on_close && !handle.is_void()) handle.disk->files.erase(handle.path);
  handle.~Handle();
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
  const Handle& handle = handle_of(file);
  if (handle.is_void()) return SQLITE_IOERR_READ;
  const std::string& image = handle.file->current;
  const auto size = static_cast<std::size_t>(amount);
  const auto begin = std::min(static_cast<std::size_t>(offset), image.size());
  const std::size_t got = std::min(size, image.size() - begin);
  std::memcpy(out, image.data() + begin, got);
  std::memset(static_cast<char*>(out) + got, 0, size - got);
  return got == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

/// A write or truncation that the power cut interrupts may have reached the disk or not, in part or as a whole.
int change_file(Handle& handle, Change change, int io_error) {
  if (handle.is_void()) return io_error;
  const int code = handle.disk->change(io_error);
  if (code != SQLITE_OK && !handle.disk->dead) return code;
  put_change(handle.file->current, change);
  handle.file->unsynced.push_back(std::move(change));
  return code;
}

int write_file(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
  Change change{.offset = static_cast<std::size_t>(offset),
                .data = std::string(static_cast<const char*>(data), static_cast<std::size_t>(amount))};
  return change_file(handle_of(file), std::move(change), SQLITE_IOERR_WRITE);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return change_file(handle_of(file), {.kind = Change::Kind::truncate, .offset = static_cast<std::size_t>(size)},
                     SQLITE_IOERR_TRUNCATE);
}

int sync_file(sqlite3_file* file, int) {
  Handle& handle = handle_of(file);
  if (handle.is_void()) return SQLITE_IOERR_FSYNC;
  const int code = handle.disk->change(SQLITE_IOERR_FSYNC);
  File& target = *handle.file;
  if (code == SQLITE_OK)
    for (const Change& change : target.unsynced) put_change(target.synced, change);
  if (!handle.disk->dead) target.unsynced.clear();  // after an error: marked clean, yet never on the disk
  if (code != SQLITE_OK) return code;
  // The first sync of a file syncs its directory too (SQLite does so for its logs), and with it former deletions.
  if (!target.entry_synced) handle.disk->unlinked.clear();
  target.entry_synced = true;
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  const Handle& handle = handle_of(file);
  if (handle.is_void()) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>(handle.file->current.size());
  return SQLITE_OK;
}

int strongest_other_lock(const Handle& handle) {
  int strongest = SQLITE_LOCK_NONE;
  for (const Handle* other : handle.file->handles)
    if (other != &handle) strongest = std::max(strongest, other->lock);
  return strongest;
}

int lock_file(sqlite3_file* file, int level) {
  Handle& handle = handle_of(file);
  if (handle.is_void()) return SQLITE_IOERR_LOCK;
  if (handle.lock >= level) return SQLITE_OK;
  const int other = strongest_other_lock(handle);
  if (level == SQLITE_LOCK_SHARED && other >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
  if (level > SQLITE_LOCK_SHARED && other >= SQLITE_LOCK_RESERVED) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_EXCLUSIVE && other >= SQLITE_LOCK_SHARED) {
    handle.lock = SQLITE_LOCK_PENDING;
    return SQLITE_BUSY;
  }
  handle.lock = level;
  return SQLITE_OK;
}

int unlock_file(sqlite3_file* file, int level) {
  Handle& handle = handle_of(file);
  handle.lock = std::min(handle.lock, level);
  return SQLITE_OK;
}

int check_reserved(sqlite3_file* file, int* out) {
  const Handle& handle = handle_of(file);
  if (handle.is_void()) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  *out = std::max(strongest_other_lock(handle), handle.lock) >= SQLITE_LOCK_RESERVED;
  return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }  // what SQLite's unix VFS says
int device_characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  Handle& handle = handle_of(file);
  *out = nullptr;
  if (handle.is_void()) return SQLITE_IOERR_SHMMAP;
  auto& regions = handle.file->shared_memory;
  const auto index = static_cast<std::size_t>(region);
  if (regions.size() <= index && !extend) return SQLITE_OK;
  while (regions.size() <= index) regions.push_back(std::make_unique<std::vector<char>>(static_cast<std::size_t>(size)));
  *out = regions[index]->data();
  return SQLITE_OK;
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  Handle& handle = handle_of(file);
  if (handle.is_void()) return SQLITE_IOERR_SHMLOCK;
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  const bool lock = (flags & SQLITE_SHM_LOCK) != 0;
  if (lock)
    for (const Handle* other : handle.file->handles)
      for (int i = offset; i < offset + count; ++i)
        if (other != &handle && (other->exclusive[i] || (exclusive && other->shared[i]))) return SQLITE_BUSY;
  for (int i = offset; i < offset + count; ++i) (exclusive ? handle.exclusive : handle.shared)[i] = lock;
  return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) { std::atomic_thread_fence(std::memory_order_seq_cst); }

int shm_unmap(sqlite3_file* file, int delete_it) {
  Handle& handle = handle_of(file);
  handle.shared.fill(false);
  handle.exclusive.fill(false);
  if (delete_it && !handle.is_void()) handle.file->shared_memory.clear();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods{
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved,
    .xFileControl = file_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

Disk& disk_of(sqlite3_vfs* vfs) { return *static_cast<Disk*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags, int* out_flags) {
  Disk& disk = disk_of(vfs);
  out->pMethods = nullptr;
  if (disk.dead) return SQLITE_CANTOPEN;
  const std::string path = name ? name : fmt::format("temporary-{}", disk.calls);
  if (!disk.files.contains(path)) {
    if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    if (const int code = disk.change(SQLITE_CANTOPEN); code != SQLITE_OK) return code;
    disk.files[path] = std::make_shared<File>();
  }
  auto* handle = new (out) Handle;
  handle->pMethods = &kMethods;
  handle->disk = &disk;
  handle->file = disk.files[path];
  handle->path = path;
  handle->generation = disk.generation;
  handle->delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  handle->file->handles.insert(handle);
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  Disk& disk = disk_of(vfs);
  if (!disk.files.contains(name)) return SQLITE_IOERR_DELETE_NOENT;
  if (const int code = disk.change(SQLITE_IOERR_DELETE); code != SQLITE_OK) return code;
  if (disk.files[name]->entry_synced) disk.unlinked[name] = disk.files[name];
  disk.files.erase(name);
  if (sync_directory) disk.unlinked.clear();
  return SQLITE_OK;
}

int access_file(sqlite3_vfs* vfs, const char* name, int, int* out) {
  const Disk& disk = disk_of(vfs);
  *out = disk.files.contains(name) ? 1 : 0;
  return disk.dead ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

int full_pathname(sqlite3_vfs*, const char* name, int size, char* out) {
  return std::snprintf(out, static_cast<std::size_t>(size), "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

int randomness(sqlite3_vfs*, int size, char* out) {
  std::memset(out, 42, static_cast<std::size_t>(size));
  return size;
}

int sleep_never(sqlite3_vfs*, int microseconds) { return microseconds; }

int current_time(sqlite3_vfs*, sqlite3_int64* out) {
  *out = 0;
  return SQLITE_OK;
}

}  // namespace

FaultVfs::FaultVfs() : disk_(std::make_unique<Disk>()) {
  disk_->name = fmt::format("fault-{}", static_cast<const void*>(disk_.get()));
  sqlite3_vfs& vfs = disk_->vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(Handle);
  vfs.mxPathname = 512;
  vfs.zName = disk_->name.c_str();
  vfs.pAppData = disk_.get();
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_pathname;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep_never;
  vfs.xCurrentTimeInt64 = current_time;
  sqlite3_vfs_register(&vfs, 0);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&disk_->vfs); }

const std::string& FaultVfs::name() const { return disk_->name; }
std::uint64_t FaultVfs::calls() const { return disk_->calls; }

void FaultVfs::fail_at(std::uint64_t call, Fault fault) {
  disk_->fail_call = call;
  disk_->fault = fault;
}

void FaultVfs::clear_fault() {
  disk_->fail_call = 0;
  disk_->fault = Fault::none;
  disk_->full = false;
}

namespace {

/// Which sectors of an unsynced change are on the disk.
void survive(std::string& image, const Change& change, Unsynced unsynced, std::mt19937_64& random) {
  if (unsynced == Unsynced::lost) return;
  if (unsynced == Unsynced::kept || change.kind == Change::Kind::truncate) {
    if (unsynced == Unsynced::kept || random() % 2 == 0) put_change(image, change);
    return;
  }
  if (random() % 3 == 0) return;         // not at all
  const bool whole = random() % 2 == 0;  // or as a whole, or sector by sector
  for (std::size_t at = 0; at < change.data.size();) {
    const std::size_t end = std::min(change.data.size(), at + kSectorBytes - (change.offset + at) % kSectorBytes);
    if (whole || random() % 2 == 0) put_change(image, {.offset = change.offset + at, .data = change.data.substr(at, end - at)});
    at = end;
  }
}

}  // namespace

void FaultVfs::power_on(Unsynced unsynced, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto chance = [&] { return unsynced == Unsynced::kept || (unsynced == Unsynced::random && random() % 2 == 0); };
  auto& files = disk_->files;
  for (auto& [path, file] : disk_->unlinked)  // a deletion that did not reach the disk
    if (unsynced != Unsynced::kept && (unsynced == Unsynced::lost || chance())) files.try_emplace(path, file);
  disk_->unlinked.clear();
  std::erase_if(files, [&](const auto& entry) { return !entry.second->entry_synced && !chance(); });
  for (auto& [path, file] : files) {
    auto fresh = std::make_shared<File>();
    fresh->synced = file->synced;
    for (const Change& change : file->unsynced) survive(fresh->synced, change, unsynced, random);
    fresh->current = fresh->synced;
    fresh->entry_synced = true;
    file = std::move(fresh);
  }
  clear_fault();
  disk_->dead = false;
  ++disk_->generation;
}

bool FaultVfs::exists(const std::string& path) const { return disk_->files.contains(path); }

std::string FaultVfs::contents(const std::string& path) const {
  const auto found = disk_->files.find(path);
  return found == disk_->files.end() ? std::string() : found->second->current;
}

void FaultVfs::set_contents(const std::string& path, std::string contents) {
  auto file = std::make_shared<File>();
  file->current = file->synced = std::move(contents);
  file->entry_synced = true;
  disk_->files[path] = std::move(file);
}

}  // namespace acceptd::testing
