/// How the states of a reactor are stored.
public struct ReactorPersistence: Sendable, Hashable {
    /// What the answer to a dispatch guarantees for its mutations.
    public enum Durability: String, Sendable, CaseIterable {
        /// They are on the disk and survive a crash of the machine.
        case sync
        /// They are committed in their order: a crash of the machine may lose the last of them, never one before
        /// another.
        case normal
        /// Nothing: they are written later.
        case off
    }

    /// What happens to stored states when the reactor's definition has changed.
    public enum ChangePolicy: String, Sendable, CaseIterable {
        /// The newest state stays as it is.
        case keep
        /// The stored mutations are reduced again, from the oldest stored state on.
        case replay
    }

    /// What the answer to a dispatch guarantees.
    public var durability = Durability.normal
    /// What happens to stored states when the definition changes.
    public var onChange = ChangePolicy.keep
    /// The number of revisions whose action, mutation, and state the history keeps.
    public var history = 10_000
    /// The bytes that steps and snapshots may have on the disk, about. The newest snapshot and the steps after it are
    /// kept in any case.
    public var historyBytes = 64 << 20

    /// The defaults of the daemon.
    public init() {}
}
