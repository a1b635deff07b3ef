internal import Synchronization

/// What all subjects are made of: the members, the order of the events, and the end.
///
/// An event is accepted under the lock, together with the list of who is to receive it, and delivered outside of it by
/// whoever found no delivery under way; others, on another thread or deeper in the same one, leave theirs to that one.
/// So concurrent calls are serialised, an event sent from within a delivery comes after that delivery, and a member that
/// joins in between receives what is replayed and then exactly the events accepted later.
///
/// Not generic, on purpose (see the front page): `TypedBroadcast` knows the elements.
class Broadcast: @unchecked Sendable {
    // Unchecked: everything that changes is guarded by `lock`.
    enum Life {
        case active
        case stopped
        case disposed(any Error)
    }

    final let lock = Lock()
    @exclusivity(unchecked) final var life = Life.active
    @exclusivity(unchecked) final var members: [Member?] = []
    @exclusivity(unchecked) private final var gaps = 0
    @exclusivity(unchecked) final var isDelivering = false
    @exclusivity(unchecked) final var pending: [Delivery] = []

    deinit {
        for case let member? in members { member.orphan() }
    }

    // MARK: - Delivery

    /// An event that waits, with those who are to receive it.
    class Delivery: @unchecked Sendable {
        // Unchecked: immutable.
        final let members: [Member?]

        init(_ members: [Member?]) {
            self.members = members
        }

        func deliver() {}

        /// To one of them, at once.
        func deliver(to member: Member) {}
    }

    /// Delivers what has been left here meanwhile, then ends the delivery.
    final func drain() {
        while true {
            lock.lock()
            if pending.isEmpty {
                isDelivering = false
                return lock.unlock()
            }
            let batch = pending
            pending = []
            lock.unlock()
            for delivery in batch { delivery.deliver() }
        }
    }

    /// With the lock held, after the end was accepted.
    final func stop() {
        life = .stopped
        members = []
        gaps = 0
    }

    // MARK: - Members

    /// With the lock held.
    final func add(_ member: Member) {
        member.index = members.count
        members.append(member)
    }

    private func leave(_ member: Member) {
        lock.lock()
        guard member.index < members.count, members[member.index] === member else { return lock.unlock() }
        members[member.index] = nil
        gaps += 1
        if gaps * 2 > members.count { closeGaps() }
        lock.unlock()
    }

    /// So that leaving costs the same however many members there are.
    private func closeGaps() {
        members.removeAll { $0 == nil }
        for (index, member) in members.enumerated() { member?.index = index }
        gaps = 0
    }

    final var hasObservers: Bool { lock.withLock { members.count > gaps } }

    // MARK: - Disposal

    final var isDisposed: Bool {
        lock.withLock {
            switch life {
            case .active, .stopped: false
            case .disposed: true
            }
        }
    }

    /// Lets go of the members, without an event; who subscribes later gets `error`.
    final func dispose(_ error: any Error) {
        let gone = lock.withLock { () -> [Member?] in
            life = .disposed(error)
            gaps = 0
            defer { members = [] }
            return members
        }
        withExtendedLifetime(gone) {}
    }

    // MARK: - Member

    /// One subscriber. Until its replay is through, what is broadcast waits here.
    final class Member: DisposeBase, @unchecked Sendable {
        // Unchecked: `index` is guarded by the lock of the broadcast, `waiting` by that of the replay, the rest is atomic;
        // `stage` goes when the broadcast has gone and no one delivers any more.

        /// A stage of the element type of the broadcast.
        private(set) var stage: DisposeBase?
        private weak var broadcast: Broadcast?
        var index = Int.max
        private let gone = Atomic(false)
        private let live: Atomic<Bool>
        private let replayLock = Lock()
        private var waiting: [Delivery] = []

        init(_ stage: DisposeBase, _ broadcast: Broadcast, isLive: Bool) {
            self.stage = stage
            self.broadcast = broadcast
            live = Atomic(isLive)
        }

        var isGone: Bool { gone.load(ordering: .relaxed) }

        /// Whether events may be delivered directly.
        var isLive: Bool { live.load(ordering: .acquiring) }

        /// Keeps what arrives during the replay. False when the replay is through.
        func park(_ delivery: Delivery) -> Bool {
            replayLock.withLock {
                if isLive { return false }
                waiting.append(delivery)
                return true
            }
        }

        /// Ends the replay, once all that has arrived meanwhile is delivered.
        func goLive() {
            while true {
                let batch = replayLock.withLock { () -> [Delivery] in
                    if waiting.isEmpty { live.store(true, ordering: .releasing) }
                    defer { waiting = [] }
                    return waiting
                }
                if batch.isEmpty { return }
                for delivery in batch { delivery.deliver(to: self) }
            }
        }

        func orphan() { stage = nil }

        override func dispose() {
            if gone.exchange(true, ordering: .relaxed) { return }
            broadcast?.leave(self)
        }
    }
}
