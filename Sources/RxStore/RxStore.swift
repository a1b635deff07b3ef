// RxStore: SQLite files in the state directory that outlive the daemon: rxd.db for executions, reactors.db for
// reactors.
//
//     caller -> ExecutionStore -> WriteQueue (all pending writes in one transaction) -> Writer  --> rxd.db
//                       |-------> ReadQueue --------------------------------------> History <--
//     caller -> StateStore, ReactorLog -> WriteQueue -> ReactorWriter --> reactors.db
//                       |---------------> ReadQueue --> StateReader <--
//
// Rules:
// - Calls take effect in the order in which they were made. A completion is called after the commit. What it reported
//   survives a crash of the daemon, and a crash of the machine if the write is durable.
// - The work of a durable input begins only after the completion of its `started`. Then it runs at most once.
// - A call costs its caller a lock and an append, and a wake-up for the first of a group. It may be made under a lock,
//   since completions are called on queues of the store.
// - Queues, clocks, and the disk are those of the `Platform` that a store is opened with.
// - A database that lacks what was committed is refused: each transaction has a number, and the last one is noted
//   beside the database (Commits/CommitMark). The database states that there is such a mark (Commits/CommitRow).
// - Events that readers may have and the database has not are noted beside it (Commits/MissingEvents).
// - The whole file is checked for damage at the start after a crash (before anything relies on it), and in the
//   background after a clean stop (Commits/CleanEnd, Commits/BackgroundCheck).
// - A backup (Backups/StateBackup) reads each database as of one moment, beside a daemon that goes on writing, and the
//   indices of watched paths.
// - Reads see what is committed. The end of an execution may still be pending a moment later.
//
// Folders: Commits/ (DatabaseFile opens a database and compares it with its mark), SQLite/ (Database, Statement,
// Schema: SQLite in Swift), Queues/ (WriteQueue, ReadQueue, and their limits), Backups/ (copies of the files). The
// other folders are owners of tables, each with its schema, its statements, and its readers: Executions/ (records,
// inputs, keys, switches), Output/ (what is kept of the elements and stderr of executions), Log/ (the events of actions
// and reactors, and the epoch), Streams/ (positions, the state of steps, firings, and the events of streams), and
// Reactors/ (steps and snapshots). A new owner is a folder beside them, and its schema steps join the list in
// Schema+Files.swift.
