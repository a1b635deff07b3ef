public import RxRecords
internal import Rx
public import RxJSON

/// One state of a reactor on its way to those who watch it.
public final class ReactorRevision: Sendable {
    public struct Content: Sendable {
        public let state: any ReactorState
        /// From the revision before, if it was wanted.
        public let patch: JSONPatch?
    }

    /// Counts the mutations that were reduced; 0 is the initial state.
    public let number: UInt64
    private let kept: Locked<Content?>

    init(_ number: UInt64, _ state: any ReactorState, _ patch: JSONPatch?) {
        self.number = number
        kept = Locked(Content(state: state, patch: patch))
    }

    /// Nil if later ones came before anyone looked: of a level only the newest counts.
    public var content: Content? { kept.withLock { $0 } }

    /// Everyone who watches has been told.
    public func drop() { kept.withLock { $0 = nil } }
}
