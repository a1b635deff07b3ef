internal import RxAction

/// What an earlier daemon has left beside its database, for the next start.
struct LeftNotes {
    /// Whether commits may be missing.
    var hasLost = false
    /// Events with these numbers may be missing; nil if none is.
    var missing: ClosedRange<UInt64>?
    /// Whether these may be more than were noted, because the note is damaged.
    var isMissingTorn = false
    /// Events may have numbers up to this one; 0 if the database has it, and nil if it is not known.
    var reserved: UInt64? = 0
    /// Executions that have ended, whatever the database has of them.
    var ends: [ExecutionID] = []
}
