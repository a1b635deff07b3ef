internal import Rx
internal import RxJSON
internal import RxStreams
internal import RxTime

/// The sources of a stream that are open, and its connections to the streams that it reads.
// Unchecked: what is not locked or constant belongs to the stream's turn.
final class OpenSources: @unchecked Sendable {
    /// A slot that is fired later than this came due while the daemon was down, suspended, or stalled.
    private static let lateness: Int64 = 1_000_000

    private let context: StreamContext
    private let levels: StreamLevels
    private let own: OwnExecutions
    private let services: StreamServices
    private let turns: StreamTurns
    private let output: StreamOutput
    private let storage: StreamStorage
    private let opened = Locked<[LiveSource]>([])
    private var connections: [any Disposable] = []
    /// The positions after the elements that were processed, by port.
    private var positions: [Int: RawJSON] = [:]
    /// Whether the last element was a slot that came due while the daemon could not fire it.
    private var isBehind = false

    init(
        _ context: StreamContext, _ levels: StreamLevels, own: OwnExecutions, services: StreamServices,
        turns: StreamTurns, output: StreamOutput, storage: StreamStorage
    ) {
        self.context = context
        self.levels = levels
        self.own = own
        self.services = services
        self.turns = turns
        self.output = output
        self.storage = storage
    }

    // MARK: For readers, on any thread

    /// Why a source cannot emit at present.
    var waiting: String? { opened.withLock { $0 }.lazy.compactMap(\.waiting).first }

    /// The next times of a schedule.
    func upcoming(_ count: Int) -> [Instant] { schedule?.upcomingSlots(count) ?? [] }

    /// What a schedule would emit if there were a slot now; nil without a schedule.
    var elementOfNow: RawJSON? { schedule?.elementOfNow }

    private var schedule: (any ScheduledSource)? {
        opened.withLock { $0 }.lazy.compactMap { $0.source as? any ScheduledSource }.first
    }

    // MARK: In the stream's turn

    private var sources: [LiveSource] { opened.withLock { $0 } }

    /// - Parameter isResumed: whether the stream was disabled: then no slots are owed.
    func open(isResumed: Bool) {
        var sources: [LiveSource] = []
        for (index, port) in context.ports.enumerated() {
            switch port.source {
            case .external(let source):
                if let live = open(source, at: port.place, port: index) { sources.append(live) }
            case .stream(let name, let channel): connect(to: name, channel, port: index)
            case .merge, .combineLatest, .zip: break
            }
        }
        opened.withLock { $0 = sources }
        for source in sources { start(source, isResumed: isResumed) }
    }

    private func open(_ source: ExternalSource, at place: String, port: Int) -> LiveSource? {
        let isKept = storage.keepsPosition(of: source)
        guard let opened = services.opener.open(source, of: output.name, place: place, isKept: isKept) else {
            output.note(waiting: "its source \(source.kind) cannot be opened; check its value")
            return nil
        }
        return LiveSource(
            port: port, opened, SourceTable.named(source.kind), levels.kind(of: .external(source)),
            keepsPosition: isKept, marksUnits: marksUnits, own: source.kind == "path" ? own : nil, turns: turns,
            output: output)
    }

    /// Whether the stream is a level that has a value for each unit.
    private var marksUnits: Bool { levels.kind(of: output.name) == .byUnit }

    private func connect(to stream: String, _ channel: StreamChannel, port: Int) {
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
        for source in sources { source.stop() }
    }

    /// Notes that elements are going to be processed.
    func note(_ elements: [StreamElement], from port: Int, at now: Instant) {
        if let position = elements.last(where: { $0.origin?.position != nil })?.origin?.position {
            positions[port] = position
        }
        isBehind = elements.last?.origin?.scheduled.map { $0.adding(microseconds: Self.lateness) < now } ?? false
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
            if isInFlight, waitsForEnd(external) { continue }
            source.settle()
        }
    }

    /// Whether a source goes on only once the executions of the `on` have ended: `after`, and `missed = "all"` for
    /// slots that came due while the daemon was down.
    private func waitsForEnd(_ source: ExternalSource) -> Bool {
        source.kind == "after" || isBehind && source.text("missed") == "all"
    }
}
