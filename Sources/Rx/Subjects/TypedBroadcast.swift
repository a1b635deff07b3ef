/// A broadcast with elements of one type.
///
/// Delivering an element builds no generic value unless another delivery is under way.
class TypedBroadcast<Element: RxSendable>: Broadcast, @unchecked Sendable {
    // Unchecked: see `Broadcast`.
    /// The final event, once stopped. Guarded by the lock until then.
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

    /// Acquires the lock and returns true unless the subject has ended.
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

    /// Delivers an element. Called with the lock held; releases it.
    final func unlockAndNext(_ element: Element) {
        if gate.enter() {
            // A subscriber that joins from here on gets the element by replay or not at all.
            let count = memberCount
            lock.unlock()
            deliver(element, first: count)
            if !gate.leave() { settle() }
        } else {
            acceptAndUnlock(element)
        }
    }

    // A separate function: the type of the event is looked up at run time, at the start of the function that uses it.
    @inline(never)
    private func acceptAndUnlock(_ element: Element) {
        let mustSettle = accept(EventDelivery(.next(element)))
        lock.unlock()
        if mustSettle { settle() }
    }

    /// Delivers an element to all members, or to the number counted in `first`. Called in the gate.
    @inline(__always)
    private func deliver(_ element: Element, first: Int? = nil) {
        withRoster { roster in
            roster.forEach(first: first ?? roster.count) { stage in
                // Members are created with stages of this element type.
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

    /// Delivers `last`, if any, and then the end. Called with the lock held; releases it.
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

    /// Subscribes `stage` to the events accepted from now on.
    final func join(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        guard lockWhenActive() else { return emitEnd(stage, member) }
        add(member, stage)
        lock.unlock()
    }

    /// Sends the end to a late subscriber.
    final func emitEnd(_ stage: Stage<Element>, _ member: Member) {
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

    /// The error that the subject ended or was disposed with. Called with the lock held.
    final var failure: (any Error)? {
        switch life {
        case .active: nil
        case .stopped: end?.error
        case .disposed: disposal
        }
    }
}

private final class EventDelivery<Element: RxSendable>: Broadcast.Delivery, @unchecked Sendable {
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
        // Members are created with stages of this element type.
        unsafeDowncast(stage, to: Stage<Element>.self).on(event)
    }
}
