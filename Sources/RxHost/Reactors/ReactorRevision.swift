public import RxRecords
internal import Rx
public import RxJSON

/// One state of a reactor on its way to its watchers.
public final class ReactorRevision: Sendable {
    /// The state, until it is dropped.
    public struct Content: Sendable {
        /// The state of this revision.
        public let state: any ReactorState
        /// The patch from the previous revision, if a watcher or the store wanted it.
        public let patch: JSONPatch?
    }

    /// Counts the mutations that were reduced; 0 is the initial state.
    public let number: UInt64
    private let kept: Locked<Content?>

    init(_ number: UInt64, _ state: any ReactorState, _ patch: JSONPatch?) {
        self.number = number
        kept = Locked(Content(state: state, patch: patch))
    }

    /// Nil if it was dropped, because it was sent or because newer revisions came first: of a level only the newest
    /// counts.
    public var content: Content? { kept.withLock { $0 } }

    /// Drops the content: all watchers have it.
    public func drop() { kept.withLock { $0 = nil } }
}
