internal import Synchronization

/// What all subjects are made of: the members, the order of the events, and the end.
///
/// One delivers at a time, the one in the gate; others, on another thread or deeper in the same one, leave their events to
/// it, each with how many members there were. So concurrent calls are serialised, an event sent from within a delivery
/// comes after that delivery, and a member that joins in between receives what is replayed and then exactly the events
/// accepted later. Joining and leaving never deliver what others sent.
///
/// An element that finds nobody inside costs two atomic operations and one call a member: no lock, and no reference is
/// counted. What members leave behind while someone is inside is therefore kept until it looks away (`retired`).
///
/// Not generic, on purpose (see the front page): `TypedBroadcast` knows the elements.
class Broadcast: @unchecked Sendable {
    // Unchecked: everything that changes is atomic or guarded by `lock`.
    enum Life {
        case active
        case stopped
        case disposed
    }

    /// As few gaps as this are not worth closing.
    private static let fewGaps = 16

    final let lock = Lock()
    /// Not kept, which would be a cycle: it is asked for only by those who subscribe to it, and they hold it.
    @exclusivity(unchecked) private unowned(unsafe) final var subject: (any AnyObject & Sendable)?
    final let gate = Gate()
    @exclusivity(unchecked) final var life = Life.active
    /// Accepted, and left to the one in the gate.
    @exclusivity(unchecked) private final var pending: [Delivery] = []
    /// What the one in the gate may still be looking at.
    @exclusivity(unchecked) private final var retired = Retired()
    private let current = Atomic(Unmanaged.passRetained(Roster(capacity: 0)))

    private struct Retired {
        var rosters: [Roster] = []
        var members: [Roster.Left] = []

        var isEmpty: Bool { rosters.isEmpty && members.isEmpty }
    }

    deinit {
        // Members keep the broadcast: there are none.
        current.load(ordering: .relaxed).release()
    }

    /// With the lock held.
    private var roster: Roster { current.load(ordering: .relaxed).takeUnretainedValue() }

    /// In the gate, where what is read stays alive without being retained.
    @inline(__always)
    final func withRoster(_ body: (Roster) -> Void) {
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(body)
    }

    /// With the lock held: how many places were given. It holds for the one in the gate, whoever comes and goes meanwhile.
    final var memberCount: Int { roster.count }

    /// With the lock held.
    private func replace(by roster: Roster) {
        let old = current.exchange(.passRetained(roster), ordering: .sequentiallyConsistent).takeRetainedValue()
        if gate.remind() { retired.rosters.append(old) }
    }

    // MARK: - Delivery

    /// An event left to the one in the gate.
    class Delivery: @unchecked Sendable {
        // Unchecked: `count` is changed with the lock held and read by the one in the gate, to whom it is handed under it.

        /// It is for those in so many places.
        final var count = 0

        /// In the gate.
        func deliver(by broadcast: Broadcast) {}
        func deliver(to stage: DisposeBase) {}
    }

    /// With the lock held: accepts an event to be delivered in its turn. True when the caller has to `settle`.
    final func accept(_ delivery: Delivery) -> Bool {
        delivery.count = roster.count
        pending.append(delivery)
        return !gate.remindOrEnter()
    }

    /// By the one in the gate when it was reminded: delivers what was left, lets go of what was retired, and goes.
    final func settle() {
        while true {
            lock.lock()
            let batch = pending
            let old = retired
            pending = []
            retired = Retired()
            if batch.isEmpty, old.isEmpty { return go() }
            closeGaps(for: batch)
            lock.unlock()
            withExtendedLifetime(old) {}
            for delivery in batch { delivery.deliver(by: self) }
        }
    }

    /// With the lock held, which it releases.
    private func go() {
        switch life {
        case .active:
            gate.leaveUnreminded()
            lock.unlock()
        case .stopped, .disposed:
            gate.leaveUnreminded(closing: true)
            let all = roster.emptyAll(place: Member.dismissed)
            lock.unlock()
            withExtendedLifetime(all) {}
        }
    }

    // MARK: - Members

    /// With the lock held: makes room for one more. False when it has left already.
    private func makeRoom(for member: Member) -> Bool {
        if member.place == Member.gone { return false }
        let roster = roster
        if roster.isFull { replace(by: roster.copied(capacity: max(2, roster.count * 2))) }
        return true
    }

    /// With the lock held: what is accepted from now on reaches `stage`.
    final func add(_ member: Member, _ stage: DisposeBase) {
        if makeRoom(for: member) { roster.append(member, stage) }
    }

    /// With the lock held: what is accepted from now on waits until `goLive`.
    final func addReplaying(_ member: Member) {
        guard makeRoom(for: member) else { return }
        member.waiting = []
        roster.append(member)
    }

    /// Ends the replay, once all that has arrived meanwhile is delivered.
    final func goLive(_ member: Member, _ stage: DisposeBase) {
        while true {
            lock.lock()
            let batch = member.waiting ?? []
            member.waiting = batch.isEmpty ? nil : []
            if batch.isEmpty, member.place >= 0 { roster.show(stage, at: member.place) }
            lock.unlock()
            if batch.isEmpty { return }
            for delivery in batch where !member.isGone { delivery.deliver(to: stage) }
        }
    }

    /// In the gate: keeps an event for a member that was found in its replay, or delivers it when that is over by now.
    final func keep(_ delivery: Delivery, for member: Member) {
        lock.lock()
        member.waiting?.append(delivery)
        let stage = member.waiting == nil && member.place >= 0 ? roster.stage(at: member.place) : nil
        lock.unlock()
        if let stage { delivery.deliver(to: stage) }
    }

    private func leave(_ member: Member) {
        lock.lock()
        let place = member.place
        if place < 0 {
            member.place = Member.gone
            return lock.unlock()
        }
        let left = roster.empty(place, place: Member.gone)
        let waiting = member.waiting.take()
        if gate.remind() {
            for old in retired.rosters { old.forget(left) }
            retired.members.append(left)
        } else {
            roster.shorten()
            closeGaps(for: [])
        }
        lock.unlock()
        withExtendedLifetime((left, waiting)) {}
    }

    /// With the lock held, when nobody is in the gate or by the one in it, who is about to deliver `batch`: so that
    /// leaving costs the same however many members there are.
    private func closeGaps(for batch: [Delivery]) {
        let roster = roster
        guard roster.gaps > Broadcast.fewGaps, roster.gaps * 2 > roster.count else { return }
        for delivery in batch { delivery.count = roster.members(inFirst: delivery.count) }
        replace(by: roster.copied(capacity: roster.count - roster.gaps, closingGaps: true))
    }

    final var hasObservers: Bool {
        lock.withLock {
            switch life {
            case .active: !roster.isEmpty
            case .stopped, .disposed: false
            }
        }
    }

    // MARK: - Disposal

    final var isDisposed: Bool { lock.withLock { isDisposedNow } }

    /// With the lock held.
    final var isDisposedNow: Bool {
        switch life {
        case .active, .stopped: false
        case .disposed: true
        }
    }

    /// Lets go of the members, without an event; who subscribes to `subject` later gets `RxError.disposed` of it.
    final func dispose(_ subject: any AnyObject & Sendable) {
        lock.lock()
        life = .disposed
        self.subject = subject
        let all = roster.emptyAll(place: Member.gone)
        if gate.remindOrClose() {
            for old in retired.rosters { for left in all { old.forget(left) } }
            retired.members += all
        }
        lock.unlock()
        withExtendedLifetime(all) {}
    }

    /// What those are told who come after the disposal. With the lock held.
    final var disposal: any Error { subject.map { RxError.disposed(object: $0) } ?? RxError.unknown }

    /// The subject has gone: nothing more comes than what is under way. Its members go, which keep the broadcast.
    final func abandon() {
        lock.lock()
        if case .active = life { life = .stopped }
        let all = gate.remindOrClose() ? [] : roster.emptyAll(place: Member.dismissed)
        lock.unlock()
        withExtendedLifetime(all) {}
    }

    // MARK: - Member

    /// One subscriber: what it disposes.
    final class Member: DisposeBase, @unchecked Sendable {
        // Unchecked: all is guarded by the lock of the broadcast, but for a look at `isGone`, which is atomic.
        /// It was disposed, or the subject was.
        fileprivate static let gone = -1
        /// The subject has ended.
        fileprivate static let dismissed = -2
        private static let notYet = -3

        private let broadcast: Broadcast
        private let index = Atomic(Member.notYet)
        /// What arrives during the replay; nil when there is none.
        @exclusivity(unchecked) fileprivate var waiting: [Delivery]?

        init(_ broadcast: Broadcast) {
            self.broadcast = broadcast
        }

        /// Where it is in the roster; negative when it is not.
        var place: Int {
            get { index.load(ordering: .relaxed) }
            set { index.store(newValue, ordering: .relaxed) }
        }

        var isGone: Bool { place == Member.gone }

        override func dispose() { broadcast.leave(self) }
    }
}
