internal import RxPlatform

/// How far a database got, as noted beside it.
///
/// Every transaction increments the number in the database's table `commits`. A database whose number is lower than the
/// one noted has lost its last transactions: SQLite takes a damaged frame of the log for the log's end.
struct CommitMark: Equatable {
    /// The boot in which it was noted.
    var boot: BootID
    /// The last number that was committed.
    var committed: UInt64
    /// The last number that is known to be on the disk.
    var synced: UInt64

    /// Whether the loss of what follows `number` means damage. What was not synced may be missing after a crash of the
    /// machine.
    func isDamage(at number: UInt64, in boot: BootID) -> Bool {
        number < (boot == self.boot && boot != .unknown ? committed : synced)
    }
}
