internal import Synchronization

/// Admits one caller at a time without making others wait. A caller that finds it busy leaves its work and reminds the
/// one inside, which checks for work before it leaves.
///
/// One atomic word. The owner stores the work, with its own lock.
struct Gate: ~Copyable, Sendable {
    private let word = Atomic<UInt8>(State.idle)

    private enum State {
        static let idle: UInt8 = 0
        static let busy: UInt8 = 1
        static let reminded: UInt8 = 2
        static let closed: UInt8 = 3
    }

    init() {}

    /// Enters if the gate is free. Call `leave` afterwards.
    func enter() -> Bool { move(State.idle, State.busy) }

    /// Leaves the gate. Returns false after a reminder: the caller is still inside and must first check for work.
    func leave() -> Bool { move(State.busy, State.idle) }

    /// Leaves, or closes the gate for good if `closing`. Called by the one inside while no reminder is possible.
    func leaveUnreminded(closing: Bool = false) {
        word.store(closing ? State.closed : State.idle, ordering: .sequentiallyConsistent)
    }

    /// Makes the one inside check for work before it leaves. Returns false if nobody is inside.
    ///
    /// In that case a caller that enters later sees everything that this caller wrote before.
    func remind() -> Bool {
        while true {
            switch word.load(ordering: .sequentiallyConsistent) {
            case State.busy: if move(State.busy, State.reminded) { return true }
            case State.reminded: return true
            default: return false
            }
        }
    }

    /// Reminds the one inside. If nobody is, enters and returns false, unless the gate is closed.
    func remindOrEnter() -> Bool {
        while true {
            if remind() { return true }
            if enter() { return false }
        }
    }

    /// Reminds the one inside. If nobody is, closes the gate and returns false.
    func remindOrClose() -> Bool {
        while true {
            if remind() { return true }
            if move(State.idle, State.closed) || word.load(ordering: .relaxed) == State.closed { return false }
        }
    }

    private func move(_ from: UInt8, _ to: UInt8) -> Bool {
        word.compareExchange(expected: from, desired: to, ordering: .sequentiallyConsistent).exchanged
    }
}
