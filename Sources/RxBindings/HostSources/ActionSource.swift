internal import Rx
internal import RxAction
internal import RxHost
package import RxJSON
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
    private let readers: ActionReaders
    private var host: Host { readers.host }
    private let state = Locked(State())

    private struct State {
        var receiver: (any SourceReceiver)?
        var source = EventSource.named([])
        var position: CatchUpPosition?
        var cursor: UInt64 = 0
        var generation: UInt64?
        /// Whether a batch is on its way.
        var isOut = false
        var isReading = false
        /// Whether there may be more than what is being read.
        var hasMore = false
        /// What was read before a page that had to be read from the disk.
        var found: [SourceElement] = []
        var origin: RawJSON?
    }

    /// - Parameters:
    ///   - names: the actions; `*` for all.
    ///   - channels: `elements`, `errors`, `executions`, `executing`.
    ///   - readers: all sources of the host whose log is read.
    package init(_ names: [String], channels: [String], readers: ActionReaders) {
        self.names = names
        self.channels = Set(channels)
        self.readers = readers
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
        readers.add(self)
        wake()
    }

    package func settled(through position: RawJSON?) {
        state.withLock { $0.isOut = false }
        wake()
    }

    package func stop() {
        state.withLock { $0.receiver = nil }
        readers.remove(self)
    }

    // MARK: Reading

    private func wake() {
        if beginsToRead() { readers.enqueue(self) }
    }

    /// There may be more to read.
    ///
    /// - Returns: whether `read` has to be called.
    func beginsToRead() -> Bool {
        state.withLock { state in
            guard state.receiver != nil, !state.isOut else { return false }
            guard !state.isReading else {
                state.hasMore = true
                return false
            }
            state.isReading = true
            return true
        }
    }

    /// Reads on until there is a batch, or nothing more. Called by `readers`.
    func read() {
        guard state.withLock({ $0.receiver != nil }) else { return }
        let (found, end) = state.withLock { state in
            defer { state.found = [] }
            return (state.found, state.position)
        }
        // Before `open`, which goes back to the cursor after a reload.
        guard found.isEmpty else { return ended(at: end, found) }
        open()
        let (source, opened) = state.withLock { ($0.source, $0.position) }
        guard var position = opened else { return ended(at: nil, []) }
        var elements: [SourceElement] = []
        while elements.count < Self.batch {
            let before = position.cursor
            let portion = host.log.nextPortion(of: source, kinds, after: &position)
            for item in portion.items { append(item, to: &elements) }
            switch portion.need {
            case .page(let request): return read(request, of: source, after: position, elements)
            // The next page is requested when it is needed.
            case .following, .requested: position.take(nil)
            case .nothing: break
            }
            // A page of events of others has no items, and more may follow it.
            if portion.isComplete || portion.items.isEmpty && portion.cursor == before { break }
        }
        ended(at: position, elements)
    }

    /// Reads a page from the disk, and goes on when it is its turn again.
    private func read(
        _ request: CatchUpRequest, of source: EventSource, after position: CatchUpPosition, _ found: [SourceElement]
    ) {
        host.log.read(request, of: source, kinds, after: position) { [weak self] page in
            guard let self else { return }
            state.withLock { state in
                var next = position
                next.take(page)
                (state.position, state.found) = (next, found)
                // What was reported as lost so far is not reported again after a reload.
                state.cursor = max(state.cursor, position.reached)
            }
            readers.enqueue(self)
        }
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
                receiver?.report(lost: nil)
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
            receiver?.report(lost: count)
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
