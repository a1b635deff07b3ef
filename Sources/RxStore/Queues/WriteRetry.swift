internal import Synchronization

/// The course of a write that is tried again until the file has it, unless its requester revokes it meanwhile.
///
/// Only a write that has failed, and waits for the next attempt, can be revoked. So the store and the requester agree
/// on whether the file has it. One that is about to be tried can be revoked for the case that it fails.
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
        /// To be revoked once the attempt that comes, or is under way, has failed.
        case leavesNothing, leavesClaim
    }

    private let state = Atomic(State.open.rawValue)
    private var current: State? { State(rawValue: state.load(ordering: .acquiring)) }

    /// The course of a write that is not requested yet.
    public init() {}

    /// Whether the write has failed, and waits for the next attempt.
    public var isHeld: Bool { current == .held }

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

    /// Revokes the write as `revoke` does, or as soon as it has failed.
    ///
    /// - Parameter rest: what is written in its place.
    /// - Returns: whether it was revoked at once; otherwise it is written, or is revoked if it fails.
    public func revokeOrLater(leaving rest: Rest) -> Bool {
        let later: State =
            switch rest {
            case .nothing: .leavesNothing
            case .claim: .leavesClaim
            }
        while !revoke(leaving: rest) {
            if exchange(.open, later) { return false }
            // An attempt has begun or failed meanwhile, unless it was revoked before.
            guard [.open, .held].contains(current) else { return false }
        }
        return true
    }

    /// The write has failed.
    func hold() {
        while let current {
            let next: State
            switch current {
            case .open: next = .held
            case .leavesNothing: next = .revoked
            case .leavesClaim: next = .revokedKeepingClaim
            case .held, .revoked, .revokedKeepingClaim: return
            }
            if exchange(current, next) { return }
        }
    }

    /// The next attempt begins.
    ///
    /// - Returns: what is to be written in the place of a write that was revoked; nil for one that was not.
    func resume() -> Rest? {
        guard !exchange(.held, .open) else { return nil }
        switch current {
        case .revoked: return .nothing
        case .revokedKeepingClaim: return .claim
        case .open, .held, .leavesNothing, .leavesClaim, nil: return nil
        }
    }

    private func exchange(_ expected: State, _ desired: State) -> Bool {
        state.compareExchange(
            expected: expected.rawValue, desired: desired.rawValue, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
