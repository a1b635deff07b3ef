internal import Synchronization

/// Lets one in at a time and makes nobody wait: who finds it busy leaves work for the one inside and reminds it, which
/// then looks for that before it goes.
///
/// One atomic word. Where the work is left, and the lock around that, are the owner's.
struct Gate: ~Copyable, Sendable {
    private let word = Atomic<UInt8>(State.idle)

    private enum State {
        static let idle: UInt8 = 0
        static let busy: UInt8 = 1
        static let reminded: UInt8 = 2
        static let closed: UInt8 = 3
    }

    init() {}

    /// Goes in, when nobody is. Call `leave` afterwards.
    func enter() -> Bool { move(State.idle, State.busy) }

    /// Goes out. False when reminded: one is still in, and looks for work first.
    func leave() -> Bool { move(State.busy, State.idle) }

    /// Goes out or, `closing`, lets nobody in any more. By the one inside, while nobody can remind.
    func leaveUnreminded(closing: Bool = false) {
        word.store(closing ? State.closed : State.idle, ordering: .sequentiallyConsistent)
    }

    /// Makes the one inside look for work before it goes; false when nobody is inside.
    ///
    /// Nobody was at a moment after all that the caller wrote before: who goes in later sees that.
    func remind() -> Bool {
        while true {
            switch word.load(ordering: .sequentiallyConsistent) {
            case State.busy: if move(State.busy, State.reminded) { return true }
            case State.reminded: return true
            default: return false
            }
        }
    }

    /// The same, but goes in when nobody is: false then. Not when closed.
    func remindOrEnter() -> Bool {
        while true {
            if remind() { return true }
            if enter() { return false }
        }
    }

    /// The same, but closes when nobody is inside: false then.
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
