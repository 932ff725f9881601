#pragma once
/// A disk for SQLite that lies in memory, forgets what was not synced when the power fails, and fails on demand.

#include <cstdint>
#include <memory>
#include <string>

namespace acceptd::testing {

/// What happens to what was written but not synced when the machine dies.
enum class Unsynced { lost, kept, random };  ///< random: each 512-byte sector for itself, so pages tear

/// Registered with SQLite under name() as long as it lives; connections close before it is destroyed. One thread.
/// Counted calls are those that change the disk: write, truncate, sync, creation, deletion.
class FaultVfs {
 public:
  enum class Fault {
    none,
    io_error,   ///< one call fails (EIO); a failed sync forgets what it should have saved, as Linux does
    disk_full,  ///< every write fails from then on (ENOSPC) until clear_fault()
    power_cut,  ///< nothing works any more until power_on()
  };

  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const;

  /// Calls so far.
  std::uint64_t calls() const;
  /// The call of that number (the first is 1) meets `fault`.
  void fail_at(std::uint64_t call, Fault fault);
  void clear_fault();

  /// The machine dies, if it has not yet, and starts again: decides what the disk still holds, invalidates every open
  /// file and lock. Handles of before only fail.
  void power_on(Unsynced unsynced, std::uint64_t seed);

  bool exists(const std::string& path) const;
  std::string contents(const std::string& path) const;
  void set_contents(const std::string& path, std::string contents);

  struct Disk;

 private:
  std::unique_ptr<Disk> disk_;
};

}  // namespace acceptd::testing
