/// A broadcast of elements of one type.
///
/// The path of an element builds no generic value, unless a delivery is under way.
class TypedBroadcast<Element: Sendable>: Broadcast, @unchecked Sendable {
    // Unchecked: see `Broadcast`.
    /// The event it ended with, once stopped. Guarded by the lock until then.
    @exclusivity(unchecked) private final var end: Event<Element>?

    // MARK: - Events

    final func next(_ element: Element) {
        guard gate.enter() else { return nextWithLock(element) }
        deliver(element)
        if !gate.leave() { settle() }
    }

    private func nextWithLock(_ element: Element) {
        if lockWhenActive() { unlockAndNext(element) }
    }

    /// With the lock held, unless the subject has ended.
    final func lockWhenActive() -> Bool {
        lock.lock()
        switch life {
        case .active:
            return true
        case .stopped, .disposed:
            lock.unlock()
            return false
        }
    }

    /// With the lock held, which it releases.
    final func unlockAndNext(_ element: Element) {
        if gate.enter() {
            // Who joins from here on is replayed the element, or came too late.
            let count = memberCount
            lock.unlock()
            deliver(element, first: count)
            if !gate.leave() { settle() }
        } else {
            let mustSettle = accept(EventDelivery(.next(element)))
            lock.unlock()
            if mustSettle { settle() }
        }
    }

    /// In the gate, to all who are there or to those who were when `first` was counted.
    @inline(__always)
    private func deliver(_ element: Element, first: Int? = nil) {
        withRoster { roster in
            roster.forEach(first: first ?? roster.count) { stage in
                // Members are made with stages of this element type.
                unsafeDowncast(stage, to: Stage<Element>.self).next(element)
            } keep: { member in
                keepElement(element, for: member)
            }
        }
    }

    private func keepElement(_ element: Element, for member: Member) {
        keep(EventDelivery(.next(element)), for: member)
    }

    /// Accepts an error or completion.
    final func stop(_ event: Event<Element>) {
        if lockWhenActive() { unlockAndStop(event) }
    }

    /// With the lock held, which it releases; `last` is an element to be delivered before the end.
    final func unlockAndStop(_ event: Event<Element>, after last: Element? = nil) {
        life = .stopped
        end = event
        var mustSettle = false
        if let last { mustSettle = accept(EventDelivery(.next(last))) }
        if accept(EventDelivery(event)) { mustSettle = true }
        lock.unlock()
        if mustSettle { settle() }
    }

    // MARK: - Joining

    /// `stage` receives what is accepted from now on.
    final func join(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        guard lockWhenActive() else { return tellEnd(stage, member) }
        add(member, stage)
        lock.unlock()
    }

    /// What a late subscriber is told at last.
    final func tellEnd(_ stage: Stage<Element>, _ member: Member) {
        if let event = ending, !member.isGone { stage.on(event) }
    }

    private var ending: Event<Element>? {
        lock.withLock {
            switch life {
            case .active: nil
            case .stopped: end
            case .disposed: .error(disposal)
            }
        }
    }

    /// The error it ended or was disposed with. With the lock held.
    final var failure: (any Error)? {
        switch life {
        case .active: nil
        case .stopped: end?.error
        case .disposed: disposal
        }
    }
}

private final class EventDelivery<Element: Sendable>: Broadcast.Delivery, @unchecked Sendable {
    // Unchecked: see `Delivery`.
    private let event: Event<Element>

    init(_ event: Event<Element>) {
        self.event = event
    }

    override func deliver(by broadcast: Broadcast) {
        broadcast.withRoster { roster in
            roster.forEach(first: count, deliver: deliver(to:)) { broadcast.keep(self, for: $0) }
        }
    }

    override func deliver(to stage: DisposeBase) {
        // Members are made with stages of this element type.
        unsafeDowncast(stage, to: Stage<Element>.self).on(event)
    }
}
