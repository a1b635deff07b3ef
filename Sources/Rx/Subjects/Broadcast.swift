internal import Synchronization

/// The common part of all subjects: the members, the order of events, and the end.
///
/// One caller delivers at a time, the one in the gate. Others, on another thread or nested on this one, leave their
/// events to it, each with the number of members at that time. Concurrent calls are thus serialized, and an event sent
/// during a delivery follows it. A member that joins in between gets the replayed elements and then exactly the events
/// accepted later. Joining and leaving never deliver other callers' events.
///
/// An element that finds the gate free costs two atomic operations and one call per member: no lock and no reference
/// counting. Memory that members release during a delivery is therefore kept until the deliverer no longer reads it
/// (`retired`).
///
/// Not generic on purpose (see the front page): `TypedBroadcast` handles the elements.
class Broadcast: @unchecked Sendable {
    // Unchecked: mutable state is atomic or guarded by `lock`.
    enum Life {
        case active
        case stopped
        case disposed
    }

    /// Closing this few gaps is not worthwhile.
    private static let fewGaps = 16

    final let lock = Lock()
    /// Not retained, to avoid a cycle. Only subscribers read it, and they hold the subject.
    @exclusivity(unchecked) private unowned(unsafe) final var subject: (any AnyObject & Sendable)?
    final let gate = Gate()
    @exclusivity(unchecked) final var life = Life.active
    /// The accepted events that wait for the caller in the gate.
    @exclusivity(unchecked) private final var pending: [Delivery] = []
    /// Released objects that the caller in the gate may still be reading.
    @exclusivity(unchecked) private final var retired = Retired()
    private let current = Atomic(Unmanaged.passRetained(Roster(capacity: 0)))

    private struct Retired {
        var rosters: [Roster] = []
        var members: [Roster.Left] = []

        var isEmpty: Bool { rosters.isEmpty && members.isEmpty }
    }

    deinit {
        // Members retain the broadcast, so there are none.
        current.load(ordering: .relaxed).release()
    }

    /// The current roster. Called with the lock held.
    private var roster: Roster { current.load(ordering: .relaxed).takeUnretainedValue() }

    /// The current roster, for the caller in the gate; it stays alive without being retained.
    @inline(__always)
    final func withRoster(_ body: (Roster) -> Void) {
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(body)
    }

    /// The number of assigned places. Valid for the caller in the gate despite concurrent joins and disposals. Called
    /// with the lock held.
    final var memberCount: Int { roster.count }

    /// Replaces the roster. Called with the lock held.
    private func replace(by roster: Roster) {
        let old = current.exchange(.passRetained(roster), ordering: .sequentiallyConsistent).takeRetainedValue()
        if gate.remind() { retired.rosters.append(old) }
    }

    // MARK: - Delivery

    /// An event left to the caller in the gate.
    class Delivery: @unchecked Sendable {
        // Unchecked: `count` is changed with the lock held, and the lock also hands it to the caller in the gate.

        /// How many places get the event.
        final var count = 0

        /// Delivers the event. Called in the gate.
        func deliver(by broadcast: Broadcast) {}
        func deliver(to stage: DisposeBase) {}
    }

    /// Accepts an event for delivery in order. Returns true if the caller must call `settle`. Called with the lock
    /// held.
    final func accept(_ delivery: Delivery) -> Bool {
        delivery.count = roster.count
        pending.append(delivery)
        return !gate.remindOrEnter()
    }

    /// Delivers waiting events, frees retired objects, and leaves the gate. Called by the one in the gate after a
    /// reminder.
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

    /// Leaves the gate. Called with the lock held; releases it.
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

    /// Makes room for a member. Returns false if it has already been disposed. Called with the lock held.
    private func makeRoom(for member: Member) -> Bool {
        if member.place == Member.gone { return false }
        let roster = roster
        if roster.isFull { replace(by: roster.copied(capacity: max(2, roster.count * 2))) }
        return true
    }

    /// Adds a member, whose `stage` gets the events accepted from now on. Called with the lock held.
    final func add(_ member: Member, _ stage: DisposeBase) {
        if makeRoom(for: member) { roster.append(member, stage) }
    }

    /// Adds a member whose events wait until `goLive`. Called with the lock held.
    final func addReplaying(_ member: Member) {
        guard makeRoom(for: member) else { return }
        member.waiting = []
        roster.append(member)
    }

    /// Ends the replay after delivering the events that have arrived meanwhile.
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

    /// Stores an event for a member in its replay, or delivers it if the replay has ended. Called in the gate.
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

    /// Closes gaps in the roster, so that the cost of leaving does not depend on the number of members. Called with the
    /// lock held, while the gate is free or by the caller in it before it delivers `batch`.
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

    /// Whether the subject is disposed. Called with the lock held.
    final var isDisposedNow: Bool {
        switch life {
        case .active, .stopped: false
        case .disposed: true
        }
    }

    /// Releases the members without an event. Later subscribers get `RxError.disposed` with `subject`.
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

    /// The error for subscribers after the disposal. Called with the lock held.
    final var disposal: any Error { subject.map { RxError.disposed(object: $0) } ?? RxError.unknown }

    /// Handles the release of the subject: only events under way are delivered, and the members, which retain the
    /// broadcast, are removed.
    final func abandon() {
        lock.lock()
        if case .active = life { life = .stopped }
        let all = gate.remindOrClose() ? [] : roster.emptyAll(place: Member.dismissed)
        lock.unlock()
        withExtendedLifetime(all) {}
    }

    // MARK: - Member

    /// The disposable of one subscriber.
    final class Member: DisposeBase, @unchecked Sendable {
        // Unchecked: the broadcast's lock guards everything except the atomic check of `isGone`.
        /// The member or the subject was disposed.
        fileprivate static let gone = -1
        /// The subject ended.
        fileprivate static let dismissed = -2
        private static let notYet = -3

        private let broadcast: Broadcast
        private let index = Atomic(Member.notYet)
        /// The events that arrive during the replay; nil without a replay.
        @exclusivity(unchecked) fileprivate var waiting: [Delivery]?

        init(_ broadcast: Broadcast) {
            self.broadcast = broadcast
        }

        /// The position in the roster; negative if it is not in it.
        var place: Int {
            get { index.load(ordering: .relaxed) }
            set { index.store(newValue, ordering: .relaxed) }
        }

        var isGone: Bool { place == Member.gone }

        override func dispose() { broadcast.leave(self) }
    }
}
