/// A broadcast of elements of one type; subclasses say what is kept and replayed.
///
/// The path of an element builds no generic value, unless a delivery is under way.
class TypedBroadcast<Element: Sendable>: Broadcast, @unchecked Sendable {
    // Unchecked: see `Broadcast`.
    /// The event it ended with, once stopped.
    private var end: Event<Element>?

    /// Called with the lock held: remembers `element`. What is no longer kept goes to `released`, which is dropped without the lock.
    func keep(_ element: Element, released: inout Element?) {}

    /// Whether `keep` does anything.
    var keeps: Bool { false }

    /// Called with the lock held: what a new member receives first.
    func replayed(afterEnd: Bool) -> [Element] { [] }

    /// Called with the lock held when the sequence completes: an element to be delivered just before.
    func lastElement() -> Element? { nil }

    /// Whether elements are delivered when they arrive.
    var deliversElements: Bool { true }

    // MARK: - Events

    final func next(_ element: Element) {
        if keeps { return keepAndDeliver(element) }
        lock.lock()
        guard case .active = life else { return lock.unlock() }
        deliver(element)
    }

    private func keepAndDeliver(_ element: Element) {
        var released: Element?
        lock.lock()
        guard case .active = life else { return lock.unlock() }
        keep(element, released: &released)
        if deliversElements { deliver(element) } else { lock.unlock() }
        withExtendedLifetime(released) {}
    }

    /// With the lock held, which it releases.
    private func deliver(_ element: Element) {
        let snapshot = members
        if isDelivering {
            pending.append(EventDelivery(.next(element), snapshot))
            return lock.unlock()
        }
        isDelivering = true
        lock.unlock()
        for case let member? in snapshot where !member.isGone {
            if member.isLive {
                // Members are made with stages of this element type.
                if let stage = member.stage { unsafeDowncast(stage, to: Stage<Element>.self).next(element) }
            } else {
                EventDelivery(.next(element), [member]).deliver()
            }
        }
        drain()
    }

    final func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error, .completed: stop(event)
        }
    }

    final func stop(_ event: Event<Element>) {
        lock.lock()
        guard case .active = life else { return lock.unlock() }
        let snapshot = members
        end = event
        if event.isCompleted, let element = lastElement() { pending.append(EventDelivery(.next(element), snapshot)) }
        pending.append(EventDelivery(event, snapshot))
        stop()
        let mustDeliver = !isDelivering
        isDelivering = true
        lock.unlock()
        if mustDeliver { drain() }
    }

    /// The error it ended or was disposed with. Called with the lock held.
    final var failure: (any Error)? {
        switch life {
        case .active: nil
        case .stopped: end?.error
        case .disposed(let error): error
        }
    }

    // MARK: - Joining

    final func join(_ stage: Stage<Element>) {
        if keeps { return joinWithReplay(stage) }
        let member = Member(stage, self, isLive: true)
        stage.attach(member)
        lock.lock()
        if case .active = life {
            add(member)
            return lock.unlock()
        }
        let event = ending
        lock.unlock()
        if let event { stage.on(event) }
    }

    private func joinWithReplay(_ stage: Stage<Element>) {
        let member = Member(stage, self, isLive: false)
        stage.attach(member)
        lock.lock()
        var replay: [Element] = []
        switch life {
        case .active:
            replay = replayed(afterEnd: false)
            add(member)
        case .stopped:
            replay = replayed(afterEnd: true)
        case .disposed:
            break
        }
        let event = ending
        lock.unlock()
        for element in replay where !member.isGone { stage.next(element) }
        if let event {
            if !member.isGone { stage.on(event) }
        } else {
            member.goLive()
        }
    }

    /// With the lock held: what a late subscriber is told at last.
    private var ending: Event<Element>? {
        switch life {
        case .active: nil
        case .stopped: end
        case .disposed(let error): .error(error)
        }
    }
}

private final class EventDelivery<Element: Sendable>: Broadcast.Delivery, @unchecked Sendable {
    // Unchecked: immutable.
    private let event: Event<Element>

    init(_ event: Event<Element>, _ members: [Broadcast.Member?]) {
        self.event = event
        super.init(members)
    }

    override func deliver() {
        for case let member? in members where member.isLive || !member.park(self) {
            deliver(to: member)
        }
    }

    override func deliver(to member: Broadcast.Member) {
        if member.isGone { return }
        // Members are made with stages of this element type.
        if let stage = member.stage { unsafeDowncast(stage, to: Stage<Element>.self).on(event) }
    }
}
