internal import Glibc
internal import Rx

// The order of what an action does.
//
// Whoever queues a step and finds no delivery under way delivers, outside of the lock; others, on another thread or deeper
// in the same one, leave their step to that one. Work is subscribed after the steps that announce it were delivered, and
// when no delivery is under way on this thread, so that the elements of synchronous work are delivered as they come.

/// What is to be told, and what has been. Guarded by the gate's lock.
struct Delivery {
    struct Entry {
        let step: ActionStep
        /// As they are after this step, if it may change them.
        let levels: ActionGate.Levels?
    }

    private var entries = Queue<Entry>()
    /// Known apart: asking a queue of another module costs more than most steps.
    private(set) var hasEntries = false
    var isUnderWay = false
    /// The levels after the last step that was queued, and after the last that was taken from the queue.
    var decided = ActionGate.Levels()
    var told = ActionGate.Levels()
    var streams: ActionListener?

    /// The threads that run work and have not returned from it. Rarely more than one or two.
    var runners: [Runner] = []

    struct Runner {
        let thread: pthread_t
        /// How often it is within work of this action.
        var depth = 1
        /// What it runs when it returns from what it runs now.
        var begun: [AnyExecution] = []
    }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        hasEntries = true
    }

    mutating func removeFirst() -> Entry? {
        guard hasEntries else { return nil }
        let entry = entries.removeFirst()
        hasEntries = !entries.isEmpty
        return entry
    }

    func runner(_ thread: pthread_t) -> Int? { runners.firstIndex { $0.thread == thread } }
}

extension ActionGate {
    /// Work that starts an execution of its own action runs it within itself, so that it may wait for it, but not deeper
    /// than this: a chain of such must not use up the stack.
    private static let deepestNesting = 16

    enum ElementAdmission {
        /// The execution has ended: the element is dropped.
        case ended
        /// A delivery is under way: the element is to be queued.
        case busy
        /// The caller delivers the element, then calls `leave()`.
        case granted(Audience)
    }

    func admit(_ execution: AnyExecution) -> ElementAdmission {
        lock.lock()
        defer { lock.unlock() }
        if case .ended = execution.phase { return .ended }
        if delivery.isUnderWay { return .busy }
        delivery.isUnderWay = true
        return .granted(Audience(listener: listener, streams: delivery.streams, results: execution.results))
    }

    func queue(_ element: AnyElementStep) {
        lock.lock()
        if case .ended = element.execution.phase { return lock.unlock() }
        if delivery.isUnderWay {
            delivery.append(Delivery.Entry(step: .element(element), levels: nil))
            return lock.unlock()
        }
        delivery.isUnderWay = true
        deliver(Delivery.Entry(step: .element(element), levels: nil))
    }

    /// The streams, made with the present levels when first asked for. `make` runs under the lock and only allocates.
    func streams(_ make: (_ executing: Bool, _ enabled: Bool) -> ActionListener) -> ActionListener {
        lock.withLock {
            if let streams = delivery.streams { return streams }
            let made = make(delivery.told.executing, delivery.told.enabled)
            delivery.streams = made
            return made
        }
    }

    // MARK: - Steps

    /// With the lock held, which it releases: queues `step` and `next`, or delivers them and what is queued meanwhile.
    func accept(_ step: ActionStep, then next: ActionStep? = nil) {
        delivery.decided = levels
        // Of two steps that are one change the second tells the levels: they do not move for a moment between the two.
        let first = Delivery.Entry(step: step, levels: next == nil ? delivery.decided : nil)
        if delivery.isUnderWay {
            delivery.append(first)
            if let next { delivery.append(Delivery.Entry(step: next, levels: delivery.decided)) }
            return lock.unlock()
        }
        if let next { delivery.append(Delivery.Entry(step: next, levels: delivery.decided)) }
        delivery.isUnderWay = true
        deliver(first)
    }

    /// With the lock held, which it releases: several steps that are one change.
    func accept(_ steps: [ActionStep]) {
        delivery.decided = levels
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            delivery.append(Delivery.Entry(step: step, levels: isLast ? delivery.decided : nil))
        }
        if delivery.isUnderWay { return lock.unlock() }
        delivery.isUnderWay = true
        lock.unlock()
        deliverQueued(after: nil)
    }

    /// With the lock held, which it releases.
    private func deliver(_ entry: Delivery.Entry) {
        let audience = audience(of: entry)
        lock.unlock()
        perform(entry.step, audience)
        if case .begin(let execution) = entry.step { leave(after: execution) } else { leave() }
    }

    /// Delivers what was queued meanwhile, ends the delivery, then runs the work that has begun in it.
    func leave(after begun: AnyExecution? = nil) {
        lock.lock()
        if !delivery.hasEntries {
            delivery.isUnderWay = false
            lock.unlock()
            if let begun { run(begun, mayNest: true) }
        } else {
            lock.unlock()
            deliverQueued(after: begun)
        }
    }

    private func deliverQueued(after first: AnyExecution?) {
        var begun: [AnyExecution] = []
        while let (step, audience) = take() {
            perform(step, audience)
            if case .begin(let execution) = step { begun.append(execution) }
        }
        if let first { run(first, mayNest: true) }
        for execution in begun { run(execution, mayNest: false) }
    }

    private func take() -> (ActionStep, Audience)? {
        lock.lock()
        defer { lock.unlock() }
        guard let entry = delivery.removeFirst() else {
            delivery.isUnderWay = false
            return nil
        }
        return (entry.step, audience(of: entry))
    }

    /// With the lock held: who hears of a step, decided when it is taken from the queue, and which levels it changes.
    private func audience(of entry: Delivery.Entry) -> Audience {
        var audience = Audience(listener: listener, streams: delivery.streams, results: nil)
        if let levels = entry.levels, levels != delivery.told {
            if levels.executing != delivery.told.executing { audience.change.executing = levels.executing }
            if levels.enabled != delivery.told.enabled { audience.change.enabled = levels.enabled }
            delivery.told = levels
        }
        switch entry.step {
        case .element(let element):
            audience.results = element.execution.results
        case .end(let execution, _):
            execution.isEndTold = true
            audience.results = execution.results
        case .released:
            delivery.streams = nil
        case .queued, .begin, .refused, .conditionFailed, .levels:
            break
        }
        return audience
    }

    private func perform(_ step: ActionStep, _ audience: Audience) {
        let change = audience.change
        switch step {
        case .queued(let execution):
            audience.forEach { $0.queued(execution, change) }
        case .begin(let execution):
            audience.forEach { $0.began(execution, change) }
        case .element(let element):
            element.tell(audience)
        case .end(let execution, let end):
            if let results = audience.results { execution.end(results, end) }
            audience.forEach { $0.ended(execution, end, change) }
        case .refused(let refusal):
            audience.forEach { $0.refused(refusal) }
        case .conditionFailed(let error):
            audience.forEach { $0.conditionFailed(error, change) }
        case .levels:
            audience.forEach { $0.changed(change) }
        case .released:
            audience.forEach { $0.released() }
        }
    }

    // MARK: - Work

    /// Runs the work, and then what has begun on this thread meanwhile: executions that each start the next one at their
    /// end follow each other here instead of one inside the other.
    private func run(_ execution: AnyExecution, mayNest: Bool) {
        let thread = pthread_self()
        lock.lock()
        if let runner = delivery.runner(thread) {
            if !mayNest || delivery.runners[runner].depth >= ActionGate.deepestNesting {
                delivery.runners[runner].begun.append(execution)
                return lock.unlock()
            }
            delivery.runners[runner].depth += 1
        } else {
            delivery.runners.append(Delivery.Runner(thread: thread))
        }
        let work = execution.means.work
        lock.unlock()
        work?.run()
        while true {
            let begun = takeBegun(thread)
            if begun.isEmpty { return }
            for next in begun { lock.withLock({ next.means.work })?.run() }
        }
    }

    /// What this thread runs next; nothing: it returns from this level.
    private func takeBegun(_ thread: pthread_t) -> [AnyExecution] {
        lock.withLock {
            guard let runner = delivery.runner(thread) else {
                preconditionFailure("a runner is listed until it returns")
            }
            let begun = delivery.runners[runner].begun
            if begun.isEmpty {
                delivery.runners[runner].depth -= 1
                if delivery.runners[runner].depth == 0 { delivery.runners.remove(at: runner) }
            } else {
                delivery.runners[runner].begun = []
            }
            return begun
        }
    }
}
