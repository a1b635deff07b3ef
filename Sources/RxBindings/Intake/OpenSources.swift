internal import Rx
internal import RxJSON
internal import RxRecords
internal import RxSources
internal import RxStreams
internal import RxTime

/// The sources of a stream that are open, and its connections to the streams that it reads.
// Unchecked: what is not locked or constant belongs to the stream's turn.
final class OpenSources: @unchecked Sendable {
    /// A slot that is fired later than this came due while the daemon was down, suspended, or stalled.
    private static let lateness: Int64 = 1_000_000
    /// The delays before a source that could not be opened is tried again.
    private static let patience = DoublingDelay(first: .seconds(1), longest: .seconds(60))

    private let context: StreamContext
    private let levels: StreamLevels
    private let own: OwnExecutions
    private let services: StreamServices
    private let turns: StreamTurns
    private let output: StreamOutput
    private let storage: StreamStorage
    /// What streams that store what they pass on have for this one, by port.
    private let handoffs: [Int: StreamHandoff]
    private let opened = Locked<[LiveSource]>([])
    /// Why a source cannot be opened at present.
    private let unavailable = Locked<String?>(nil)
    private var unopened: Unopened?
    private let retry: StreamAlarm
    private var connections: [any Disposable] = []
    /// The positions after the elements that were processed, by port.
    private var positions: [Int: RawJSON] = [:]
    /// The schedules whose last slot came due while the daemon could not fire it, by port.
    private var behind: Set<Int> = []

    /// Sources that could not be opened.
    private struct Unopened {
        var ports: [Int]
        var isResumed: Bool
        var delay: DoublingDelay
    }

    init(
        _ context: StreamContext, _ levels: StreamLevels, own: OwnExecutions, services: StreamServices,
        turns: StreamTurns, output: StreamOutput, storage: StreamStorage, handoffs: [Int: StreamHandoff]
    ) {
        self.handoffs = handoffs
        self.context = context
        self.levels = levels
        self.own = own
        self.services = services
        self.turns = turns
        self.output = output
        self.storage = storage
        retry = StreamAlarm(services)
    }

    // MARK: For readers, on any thread

    /// Why a source cannot emit at present.
    var waiting: String? {
        unavailable.withLock { $0 } ?? opened.withLock { $0 }.lazy.compactMap(\.waiting).first
    }

    /// The next times of a schedule.
    func upcoming(_ count: Int) -> [Instant] { schedule?.upcomingSlots(count) ?? [] }

    /// What a schedule would emit if there were a slot now; nil without a schedule.
    var elementOfNow: RawJSON? { schedule?.elementOfNow }

    private var schedule: (any ScheduledSource)? {
        opened.withLock { $0 }.lazy.compactMap { $0.source as? any ScheduledSource }.first
    }

    // MARK: In the stream's turn

    /// Removes what sources of an earlier definition have stored by themselves. Before `open`.
    func forget(_ places: [String]) {
        for place in places { services.opener.forget(context.name, place: place) }
    }

    private var sources: [LiveSource] { opened.withLock { $0 } }

    /// - Parameter isResumed: whether the stream was disabled: then no slots are owed.
    func open(isResumed: Bool) {
        var external: [Int] = []
        for (index, port) in context.ports.enumerated() {
            switch port.source {
            case .external: external.append(index)
            case .stream(let name, let channel): connect(to: name, channel, port: index)
            case .merge, .combineLatest, .zip: break
            }
        }
        opened.withLock { $0 = [] }
        behind = []
        open(Unopened(ports: external, isResumed: isResumed, delay: Self.patience))
    }

    /// Opens what can be opened, and sets an alarm for the rest.
    private func open(_ sources: Unopened) {
        var (left, reason) = (sources, String?.none)
        left.ports = []
        for port in sources.ports {
            do throws(SourceUnavailable) {
                guard let source = try open(port) else { continue }
                opened.withLock { $0.append(source) }
                start(source, isResumed: sources.isResumed)
            } catch {
                left.ports.append(port)
                reason = reason ?? error.reason
            }
        }
        note(unavailable: reason)
        guard !left.ports.isEmpty else { return unopened = nil }
        let due = services.clock.now.adding(microseconds: left.delay.next().components.seconds * 1_000_000)
        unopened = left
        retry.set(due) { [weak self, turns] in
            turns.perform { [weak self] in self?.openRest() }
        }
    }

    private func openRest() {
        retry.clear()
        if let unopened { open(unopened) }
    }

    private func note(unavailable reason: String?) {
        let isNew = unavailable.withLock { unavailable in
            defer { unavailable = reason }
            return unavailable != reason
        }
        if isNew { output.note(waiting: reason) }
    }

    private func open(_ port: Int) throws(SourceUnavailable) -> LiveSource? {
        guard case .external(let source) = context.ports[port].source else { return nil }
        let isKept = storage.keepsPosition(of: source)
        let place = context.ports[port].place
        let opened = try services.opener.open(source, of: output.name, place: place, isKept: isKept)
        return LiveSource(
            port: port, opened, SourceTable.named(source.kind), levels.kind(of: .external(source)),
            keepsPosition: isKept, marksUnits: marksUnits, own: source.kind == "path" ? own : nil, turns: turns,
            output: output
        ) { [storage] in storage.store(position: $0, of: place) }
    }

    /// Whether the stream is a level that has a value for each unit.
    private var marksUnits: Bool { levels.kind(of: output.name) == .byUnit }

    private func connect(to stream: String, _ channel: StreamChannel, port: Int) {
        if let handoff = handoffs[port] {
            services.outputs.connect(stream, handoff)
            return handoff.open { [turns] elements in
                turns.receive(paced: elements, port: port)
                turns.wake()
            }
        }
        let level = levels.kind(of: .stream(stream, channel: channel))
        connections.append(
            services.outputs.connect(stream, channel) { [turns, output, marksUnits] element, isReplay in
                let key = element.levelKey(level)
                // The position is that of another stream's source.
                var element = element
                if !marksUnits { element.origin?.position = nil }
                guard level == .none else {
                    let coalesced = turns.receive(level: element, key, port: port, isReplay: isReplay)
                    return output.note(coalesced: coalesced)
                }
                let lost = turns.receive(unpaced: [element], port: port)
                if lost > 0 { output.lose(lost, step: "0") }
            })
    }

    private func start(_ live: LiveSource, isResumed: Bool) {
        let port = context.ports[live.port]
        guard case .external(let source) = port.source, storage.keepsPosition(of: source) else {
            return live.start(after: nil)
        }
        if isResumed, live.description?.isSchedule ?? false {
            positions[live.port] = nil
            live.start(after: nil)
        } else {
            live.start(after: positions[live.port] ?? storage.position(of: port.place))
        }
        if let origin = live.source.origin { storage.store(position: origin, of: port.place) }
    }

    func close() {
        for connection in connections { connection.dispose() }
        connections = []
        unopened = nil
        unavailable.withLock { $0 = nil }
        retry.cancel()
        for source in sources { source.stop() }
        for handoff in handoffs.values { handoff.detach() }
    }

    /// What other streams have passed to this one and was processed is removed from where it was stored.
    ///
    /// - Returns: the rows for the transaction that stores what has come of it.
    func takeProcessed() -> [StreamRow] {
        handoffs.flatMap { port, handoff in positions[port].map { handoff.processed(through: $0) } ?? [] }
    }

    /// What other streams have passed to this one is not going to be processed.
    ///
    /// - Returns: the rows that are obsolete.
    func closeHandoffs() -> [StreamRow] { handoffs.values.flatMap { $0.close() } }

    /// What it reads of other streams is kept for it until it opens its sources. Before these streams begin.
    func connectHandoffs() {
        for (port, handoff) in handoffs {
            guard case .stream(let name, _) = context.ports[port].source else { continue }
            services.outputs.connect(name, handoff)
        }
    }

    /// It is not going to open its sources for now.
    ///
    /// - Returns: the rows that are obsolete.
    func suspendHandoffs() -> [StreamRow] { handoffs.values.flatMap { $0.suspend() } }

    /// Notes that elements were processed.
    func note(_ elements: ArraySlice<StreamElement>, from port: Int, at now: Instant) {
        if let position = elements.last(where: { $0.origin?.position != nil })?.origin?.position {
            positions[port] = position
        }
        // What a client has emitted in place of the source is no slot, and changes nothing.
        guard let slot = elements.last(where: { $0.origin?.scheduled != nil })?.origin?.scheduled else { return }
        if slot.adding(microseconds: Self.lateness) < now { behind.insert(port) } else { behind.remove(port) }
    }

    /// The positions after the elements that were processed, by the places of the sources that keep them.
    var processed: [String: RawJSON] {
        var processed: [String: RawJSON] = [:]
        for (index, position) in positions {
            let port = context.ports[index]
            guard case .external(let source) = port.source, storage.keepsPosition(of: source) else { continue }
            processed[port.place] = position
        }
        return processed
    }

    /// Has the sources go on: everything that they have emitted has taken effect.
    ///
    /// - Parameter isInFlight: whether executions that the stream has started are in flight.
    func settle(isInFlight: Bool) {
        for source in sources where source.canWait {
            guard source.isUnsettled, case .external(let external) = context.ports[source.port].source else { continue }
            if isInFlight, waitsForEnd(external, source.port) { continue }
            source.settle()
        }
        for handoff in handoffs.values { handoff.settle() }
    }

    /// Whether a source goes on only once the executions of the `on` have ended: `after`, and `missed = "all"` for
    /// slots that came due while the daemon was down.
    private func waitsForEnd(_ source: ExternalSource, _ port: Int) -> Bool {
        source.kind == "after" || behind.contains(port) && source.text("missed") == "all"
    }
}
