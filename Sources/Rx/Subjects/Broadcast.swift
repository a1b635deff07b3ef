internal import Synchronization

/// What all subjects are made of: the members, the order of the events, and the end.
///
/// An event is accepted under the lock, together with the list of who is to receive it, and delivered outside of it by
/// whoever found no delivery under way; others, on another thread or deeper in the same one, leave theirs to that one.
/// So concurrent calls are serialised, an event sent from within a delivery comes after that delivery, and a member that
/// joins in between receives what `memory` replays and then exactly the events accepted later.
class Broadcast<Element: Sendable>: @unchecked Sendable {
    // Unchecked: everything that changes is guarded by `lock`.
    private enum Life {
        case active
        case stopped(Event<Element>)
        case disposed(any Error)
    }

    private struct Delivery {
        let event: Event<Element>
        let members: [Member?]
    }

    final let lock = Lock()
    private var life = Life.active
    private var members: [Member?] = []
    private var gaps = 0
    private var isDelivering = false
    private var pending: [Delivery] = []

    deinit {
        for case let member? in members { member.orphan() }
    }

    /// Called with the lock held for each element accepted; returns what it no longer keeps, to be released outside.
    func keep(_ element: Element) -> Element? { nil }

    /// Called with the lock held: what a new member receives first.
    func replayed() -> [Event<Element>] { [] }

    /// Called with the lock held when the end is accepted: an element to be delivered before it.
    func last(before end: Event<Element>) -> Element? { nil }

    /// Whether elements are delivered when they arrive.
    var deliversElements: Bool { true }

    // MARK: - Events

    final func on(_ event: Event<Element>) {
        lock.lock()
        guard case .active = life else { return lock.unlock() }
        var released: Element?
        var first = event
        var second: Event<Element>?
        let snapshot = members
        switch event {
        case .next(let element):
            released = keep(element)
            if !deliversElements {
                lock.unlock()
                return withExtendedLifetime(released) {}
            }
        case .error, .completed:
            life = .stopped(event)
            members = []
            gaps = 0
            if let element = last(before: event) {
                first = .next(element)
                second = event
            }
        }
        let mustDeliver = !isDelivering
        if mustDeliver { isDelivering = true } else { pending.append(Delivery(event: first, members: snapshot)) }
        if let second { pending.append(Delivery(event: second, members: snapshot)) }
        lock.unlock()
        withExtendedLifetime(released) {}
        guard mustDeliver else { return }
        Broadcast.deliver(first, to: snapshot)
        drain()
    }

    private func drain() {
        while true {
            lock.lock()
            if pending.isEmpty {
                isDelivering = false
                return lock.unlock()
            }
            let batch = pending
            pending = []
            lock.unlock()
            for delivery in batch { Broadcast.deliver(delivery.event, to: delivery.members) }
        }
    }

    private static func deliver(_ event: Event<Element>, to members: [Member?]) {
        for case let member? in members { member.receive(event) }
    }

    // MARK: - Members

    final func join(_ stage: Stage<Element>) {
        let member = Member(stage, self)
        stage.attach(member)
        lock.lock()
        var replay = replayed()
        switch life {
        case .active:
            member.index = members.count
            members.append(member)
        case .stopped(let end):
            replay.append(end)
        case .disposed(let error):
            replay = [.error(error)]
        }
        if replay.isEmpty { member.isLive.store(true, ordering: .releasing) }
        lock.unlock()
        if !replay.isEmpty { member.replay(replay) }
    }

    private func leave(_ member: Member) {
        lock.lock()
        guard member.index < members.count, members[member.index] === member else { return lock.unlock() }
        members[member.index] = nil
        gaps += 1
        if gaps * 2 > members.count { close() }
        lock.unlock()
    }

    /// Closes the gaps that members left, so that leaving costs the same however many there are.
    private func close() {
        members.removeAll { $0 == nil }
        for (index, member) in members.enumerated() { member?.index = index }
        gaps = 0
    }

    // MARK: - State

    final var hasObservers: Bool { lock.withLock { members.count > gaps } }

    final var isDisposed: Bool {
        lock.withLock {
            switch life {
            case .active, .stopped: false
            case .disposed: true
            }
        }
    }

    /// The error it ended or was disposed with. Called with the lock held.
    final var failure: (any Error)? {
        switch life {
        case .active: nil
        case .stopped(let end): end.error
        case .disposed(let error): error
        }
    }

    /// Lets go of the members, without an event; who subscribes later gets `error`. Returns false if that was done before.
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
    private final class Member: DisposeBase, @unchecked Sendable {
        // Unchecked: `index` is guarded by the lock of the broadcast, `waiting` by its own.
        private var stage: Stage<Element>?
        private weak var broadcast: Broadcast?
        var index = Int.max
        let isLive = Atomic(false)
        private let isGone = Atomic(false)
        private let lock = Lock()
        private var waiting: [Event<Element>] = []

        init(_ stage: Stage<Element>, _ broadcast: Broadcast) {
            self.stage = stage
            self.broadcast = broadcast
        }

        func receive(_ event: Event<Element>) {
            if isGone.load(ordering: .relaxed) { return }
            if isLive.load(ordering: .acquiring) || !park(event) { stage?.on(event) }
        }

        private func park(_ event: Event<Element>) -> Bool {
            lock.withLock {
                if isLive.load(ordering: .relaxed) { return false }
                waiting.append(event)
                return true
            }
        }

        func replay(_ events: [Event<Element>]) {
            var batch = events
            while !batch.isEmpty {
                for event in batch {
                    if isGone.load(ordering: .relaxed) { break }
                    stage?.on(event)
                }
                batch = lock.withLock {
                    if waiting.isEmpty { isLive.store(true, ordering: .releasing) }
                    defer { waiting = [] }
                    return waiting
                }
            }
        }

        /// Breaks the circle of member and subscriber when the subject has gone; no one delivers any more.
        func orphan() { stage = nil }

        override func dispose() {
            if isGone.exchange(true, ordering: .relaxed) { return }
            broadcast?.leave(self)
        }
    }
}
