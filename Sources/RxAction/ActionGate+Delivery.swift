internal import Glibc
internal import Rx
internal import Synchronization

// Delivers the steps of an action in order.
//
// A caller that queues a step while no delivery is under way delivers it, outside the lock. Other callers, on another
// thread or nested on this one, leave their step to that delivery. Work is subscribed after its announcing steps are
// delivered and while this thread delivers nothing, so that elements of synchronous work are delivered immediately.

/// The steps to deliver and the state of the delivery. Guarded by the gate's lock.
struct Delivery {
    struct Entry {
        let step: ActionStep
        /// The levels after this step; nil if the step cannot change them.
        let levels: ActionGate.Levels?
    }

    private var entries = Queue<Entry>()
    /// Tracked separately because a call to the queue's module costs more than most steps.
    private(set) var hasEntries = false
    var isUnderWay = false
    /// The levels after the last queued step.
    var decided = ActionGate.Levels()
    /// The levels after the last step that was taken from the queue: those that the receivers know.
    var sent = ActionGate.Levels()
    var streams: ActionListener?

    /// The threads that run work and have not returned from it; rarely more than one or two.
    var runners: [Runner] = []

    struct Runner {
        let thread: pthread_t
        /// How many levels of this action's work are nested on the thread.
        var depth = 1
        /// The executions to run when the current one returns.
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

    /// The first step, if it is an element.
    mutating func removeFirstElement() -> AnyElementStep? {
        guard hasEntries, case .element(let element) = entries.first?.step else { return nil }
        entries.removeFirst()
        hasEntries = !entries.isEmpty
        return element
    }

    func runner(_ thread: pthread_t) -> Int? { runners.firstIndex { $0.thread == thread } }
}

/// Elements that were taken from the queue together, each with its receivers at that moment.
private struct QueuedElements {
    /// The most that are taken together: many more than threads that emit at the same time.
    static let most = 1024

    var list: [(element: AnyElementStep, results: (any AnyObject & Sendable)?)] = []
    /// The version of the receivers at that moment. When there are new ones, they receive the elements from then on.
    var version = 0
}

extension ActionGate {
    /// The deepest nesting of executions on one stack. Work that starts an execution of its own action runs it nested,
    /// so that it may wait for it; the limit keeps a chain of these from overflowing the stack.
    private static let deepestNesting = 16

    enum ElementAdmission {
        /// The execution has ended; the element is dropped.
        case ended
        /// A delivery is under way; the caller must queue the element.
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

    /// The streams of the action, created by `make` on first use with the current levels. `make` runs under the lock
    /// and only allocates.
    func streams(_ make: (_ executing: Bool, _ enabled: Bool) -> ActionListener) -> ActionListener {
        lock.withLock {
            if let streams = delivery.streams { return streams }
            let made = make(delivery.sent.executing, delivery.sent.enabled)
            delivery.streams = made
            audienceChanged()
            return made
        }
    }

    /// There is a receiver that a taken element does not know. Called with the lock held.
    func audienceChanged() { audienceVersion.wrappingAdd(1, ordering: .releasing) }

    // MARK: - Steps

    /// Queues `step` and `next`, or delivers them and everything queued meanwhile. Called with the lock held; releases
    /// it.
    func accept(_ step: ActionStep, then next: ActionStep? = nil) {
        delivery.decided = levels
        // Two steps can form one change. Only the second one reports the levels, so they do not flicker in between.
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

    /// Queues or delivers several steps that form one change. Called with the lock held; releases it.
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

    /// Starts a delivery with `entry`. Called with the lock held; releases it.
    private func deliver(_ entry: Delivery.Entry) {
        let audience = audience(of: entry)
        lock.unlock()
        perform(entry.step, audience)
        if case .begin(let execution) = entry.step { leave(after: execution) } else { leave() }
    }

    /// Delivers the steps queued meanwhile, ends the delivery, then runs the work that began during it.
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
        var elements = QueuedElements()
        while let (step, audience) = take(&elements) {
            perform(step, audience)
            if case .begin(let execution) = step { begun.append(execution) }
            deliver(&elements, audience)
        }
        if let first { run(first, mayNest: true) }
        for execution in begun { run(execution, mayNest: false) }
    }

    /// The next step. If it is an element, those that follow it are taken, too: the threads of many executions that
    /// emit at the same time contend for the lock, and a delivery that took one element at a time would fall behind.
    private func take(_ elements: inout QueuedElements) -> (ActionStep, Audience)? {
        lock.lock()
        defer { lock.unlock() }
        guard let entry = delivery.removeFirst() else {
            delivery.isUnderWay = false
            return nil
        }
        if case .element = entry.step {
            elements.version = audienceVersion.load(ordering: .relaxed)
            while elements.list.count < QueuedElements.most, let element = delivery.removeFirstElement() {
                elements.list.append((element, element.execution.results))
            }
        }
        return (entry.step, audience(of: entry))
    }

    /// Delivers elements that were taken together with one that had this audience.
    private func deliver(_ elements: inout QueuedElements, _ first: Audience) {
        if elements.list.isEmpty { return }
        var audience = first
        for (element, results) in elements.list {
            if audienceVersion.load(ordering: .acquiring) == elements.version {
                audience.results = results
            } else {
                lock.withLock {
                    audience = Audience(
                        listener: listener, streams: delivery.streams, results: element.execution.results)
                }
            }
            element.send(to: audience)
        }
        elements.list.removeAll(keepingCapacity: true)
    }

    /// Decides who receives a step, at the moment it is taken from the queue, and which levels it changes. Called with
    /// the lock held.
    private func audience(of entry: Delivery.Entry) -> Audience {
        var audience = Audience(listener: listener, streams: delivery.streams, results: nil)
        if let levels = entry.levels, levels != delivery.sent {
            if levels.executing != delivery.sent.executing { audience.change.executing = levels.executing }
            if levels.enabled != delivery.sent.enabled { audience.change.enabled = levels.enabled }
            delivery.sent = levels
        }
        switch entry.step {
        case .element(let element):
            audience.results = element.execution.results
        case .end(let execution, _):
            execution.isEndDelivered = true
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
            element.send(to: audience)
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

    /// Runs the work of `execution`, then the executions that have begun on this thread meanwhile. Executions that each
    /// start the next one at their end run here in sequence instead of nested.
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

    /// The executions to run next on this thread. If there are none, the thread leaves this nesting level.
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
