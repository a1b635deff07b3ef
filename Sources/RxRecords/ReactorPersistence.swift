/// How a reactor's states outlive the daemon.
public struct ReactorPersistence: Sendable, Hashable {
    /// What the answer to a dispatch promises of its mutations.
    public enum Durability: String, Sendable, CaseIterable {
        /// They are on the disk: they survive the machine's sudden end.
        case sync
        /// They are about to be written, in their order: a sudden end may take the last of them, never one before another.
        case normal
        /// Nothing: they are written some time later.
        case off
    }

    /// What happens to kept states when the reactor is no longer the one that made them.
    public enum ChangePolicy: String, Sendable, CaseIterable {
        /// The newest state stays as it is.
        case keep
        /// The mutations that are kept are reduced anew, from the oldest state that is kept.
        case replay
    }

    public var durability = Durability.normal
    public var onChange = ChangePolicy.keep
    /// Revisions of which the history knows action, mutation and state.
    public var history = 10_000

    public init() {}
}
