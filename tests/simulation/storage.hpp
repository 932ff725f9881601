#pragma once
/// What survives processes: the durable contents, and how a new process gets at them.

#include <memory>

#include "simulation/invariants.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "support/fault_vfs.hpp"
#include "support/model_store.hpp"

namespace acceptd::simulation {

class Storage {
 public:
  virtual ~Storage() = default;
  /// A handle for a new process; nullptr if the disk is in the way, to be tried again later.
  virtual std::unique_ptr<store::Store> open(Auditor& auditor) = 0;
  /// Lets what was queued become durable; true if anything was.
  virtual bool step() { return false; }
  /// The disk fails soon.
  virtual void break_disk() {}
  /// The store refuses to write until a new start.
  virtual bool has_stopped() { return false; }
  /// The process that had the handle is gone.
  virtual void closed() {}
};

std::unique_ptr<Storage> make_storage(World& world, StoreKind kind);

}  // namespace acceptd::simulation
