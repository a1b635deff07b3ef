internal import Rx
internal import RxAction
package import RxHost
package import RxJSON
internal import RxPlatform
internal import RxRecords
internal import RxStore
package import RxStreams
internal import RxTime

/// The source of events of executions, whoever requested them, read from the host's log: a reader that is behind reads
/// on from the disk, and one that has a position misses nothing across a restart.
package final class ActionSource: StreamSource {
    /// The most events in a batch.
    private static let batch = 256

    private let names: [String]
    private let channels: Set<String>
    private let host: Host
    private let queue: WorkQueue
    private let state = Locked(State())

    private struct State {
        var receiver: (any SourceReceiver)?
        var tail: (any Disposable)?
        var source = EventSource.named([])
        var position: CatchUpPosition?
        var cursor: UInt64 = 0
        var generation: UInt64?
        /// Whether a batch is on its way.
        var isOut = false
        var isReading = false
        /// Whether there may be more than what is being read.
        var hasMore = false
        var origin: RawJSON?
    }

    /// - Parameters:
    ///   - names: the actions; `*` for all.
    ///   - channels: `elements`, `errors`, `executions`, `executing`.
    package init(_ names: [String], channels: [String], host: Host) {
        self.names = names
        self.channels = Set(channels)
        self.host = host
        queue = host.platform.queues.serial("rxd.streams.events")
    }

    private var kinds: EventKinds {
        var kinds: EventKinds = []
        if channels.contains("elements") { kinds.insert(.elements) }
        if channels.contains("errors") { kinds.insert(.errors) }
        if channels.contains("executions") { kinds.insert(.executions) }
        if channels.contains("executing") { kinds.insert(.executing) }
        return kinds
    }

    package var origin: RawJSON? { state.withLock { $0.origin } }

    package func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        let place = position?.value()
        let now = host.log.cursor
        state.withLock { state in
            state.receiver = receiver
            // It holds in another epoch, too: it is stored with the log, and no number of that is used twice.
            if let cursor = place?["cursor"]?.int {
                state.cursor = UInt64(clamping: cursor)
            } else {
                state.cursor = now
                state.origin = self.position(now)
            }
        }
        let tail = host.log.addTail { [weak self] in self?.wake() }
        state.withLock { $0.tail = tail }
        wake()
    }

    package func settled(through position: RawJSON?) {
        state.withLock { $0.isOut = false }
        wake()
    }

    package func stop() {
        let tail = state.withLock { state in
            state.receiver = nil
            return state.tail
        }
        tail?.dispose()
        queue.run {}
    }

    // MARK: Reading

    private func wake() {
        let isNew = state.withLock { state in
            guard state.receiver != nil, !state.isOut else { return false }
            guard !state.isReading else {
                state.hasMore = true
                return false
            }
            state.isReading = true
            return true
        }
        if isNew { queue.async { [weak self] in self?.read() } }
    }

    /// Reads on until there is a batch, or nothing more.
    private func read() {
        open()
        let (source, found) = state.withLock { ($0.source, $0.position) }
        guard var position = found else { return ended(at: nil, []) }
        var elements: [SourceElement] = []
        while elements.count < Self.batch {
            let before = position.cursor
            let portion = host.log.nextPortion(of: source, kinds, after: &position)
            for item in portion.items { append(item, to: &elements) }
            switch portion.need {
            case .page(let request):
                let (at, found) = (position, elements)
                return host.log.read(request, of: source, kinds, after: at) { [weak self] page in
                    guard let self else { return }
                    self.queue.async {
                        var next = at
                        next.take(page)
                        self.state.withLock { $0.position = next }
                        if found.isEmpty { self.read() } else { self.ended(at: next, found) }
                    }
                }
            // The next page is requested when it is needed.
            case .following, .requested: position.take(nil)
            case .nothing: break
            }
            // A page of events of others has no items, and more may follow it.
            if portion.isComplete || portion.items.isEmpty && portion.cursor == before { break }
        }
        ended(at: position, elements)
    }

    /// Finds where to read from, at first and after a reload.
    private func open() {
        let generation = host.generation
        let (known, cursor) = state.withLock { ($0.generation, $0.cursor) }
        guard known != generation else { return }
        let actions = host.registry.actions.filter { names.contains("*") || names.contains($0.name) }
        let source = EventSource.named(actions)
        var position: CatchUpPosition?
        switch host.log.open(source, kinds, from: .cursor(cursor)) {
        case .success(let opening):
            position = opening.position ?? host.log.positionAtSkip(source, before: opening.cursor + 1)
            host.log.unwatch(source)
        case .failure:
            if case .success(let opening) = host.log.open(source, kinds, from: .start) {
                position = opening.position ?? host.log.positionAtSkip(source, before: opening.cursor + 1)
                host.log.unwatch(source)
                let receiver = state.withLock { $0.receiver }
                receiver?.report(lost: 1)
            }
        }
        state.withLock { state in
            state.source = source
            state.position = position
            state.generation = generation
        }
    }

    private func ended(at position: CatchUpPosition?, _ elements: [SourceElement]) {
        let (receiver, hasMore) = state.withLock { state -> ((any SourceReceiver)?, Bool) in
            defer { state.hasMore = false }
            state.isReading = false
            if let position {
                state.position = position
                state.cursor = max(state.cursor, position.cursor)
            }
            state.isOut = !elements.isEmpty
            return (state.receiver, state.hasMore)
        }
        if elements.isEmpty {
            if hasMore { wake() }
        } else {
            receiver?.receive(elements)
        }
    }

    // MARK: Elements

    private func position(_ cursor: UInt64) -> RawJSON {
        RawJSON(["cursor": JSONValue(cursor)])
    }

    private func append(_ item: CatchUpPortion.Item, to elements: inout [SourceElement]) {
        switch item {
        case .lost(let count, _, _):
            let receiver = state.withLock { $0.receiver }
            receiver?.report(lost: count ?? 1)
        case .event(let event):
            guard let element = element(event) else { return }
            elements.append(element)
        // It reads without an encoder.
        case .encoded: break
        }
    }

    private func element(_ event: HostEvent) -> SourceElement? {
        guard let value = ActionElement.value(of: event) else { return nil }
        return SourceElement(
            value: value, time: Instant(microseconds: event.time * 1000), position: position(event.cursor),
            causes: causes(of: event))
    }

    /// The chain of the execution, if the event came soon after its request: a slow chain is no loop.
    private func causes(of event: HostEvent) -> RawJSON? {
        guard let id = event.execution, let execution = host.execution(id) else { return nil }
        let record = host.log.record(of: execution)
        return event.time - record.queuedAt <= Self.closeness ? record.causes.stored : nil
    }

    /// Milliseconds within which a cause counts.
    private static let closeness: Int64 = 10_000
}
