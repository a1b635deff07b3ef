internal import Synchronization

/// The course of a write that is tried again until the file has it, unless its requester revokes it meanwhile.
///
/// Only a write that has failed, and waits for the next attempt, can be revoked. So the store and the requester agree
/// on whether the file has it.
public final class WriteRetry: Sendable {
    /// What is left of a write that is revoked.
    public enum Rest: Sendable {
        /// Nothing is written.
        case nothing
        /// The key, and the values of the stream that requested the execution; not the execution.
        case claim
    }

    private enum State: UInt8 {
        case open, held, revoked, revokedKeepingClaim
    }

    private let state = Atomic(State.open.rawValue)

    /// The course of a write that is not requested yet.
    public init() {}

    /// Whether the write has failed, and waits for the next attempt.
    public var isHeld: Bool { state.load(ordering: .acquiring) == State.held.rawValue }

    /// Revokes the write if it has failed and waits for the next attempt.
    ///
    /// - Parameter rest: what is written in its place.
    /// - Returns: whether it was revoked; otherwise it is about to be written, or is written.
    public func revoke(leaving rest: Rest) -> Bool {
        switch rest {
        case .nothing: exchange(.held, .revoked)
        case .claim: exchange(.held, .revokedKeepingClaim)
        }
    }

    /// The write has failed.
    func hold() { state.store(State.held.rawValue, ordering: .releasing) }

    /// The next attempt begins.
    ///
    /// - Returns: what is to be written in the place of a write that was revoked; nil for one that was not.
    func resume() -> Rest? {
        guard !exchange(.held, .open) else { return nil }
        switch State(rawValue: state.load(ordering: .acquiring)) {
        case .revoked: return .nothing
        case .revokedKeepingClaim: return .claim
        case .open, .held, nil: return nil
        }
    }

    private func exchange(_ expected: State, _ desired: State) -> Bool {
        state.compareExchange(
            expected: expected.rawValue, desired: desired.rawValue, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
