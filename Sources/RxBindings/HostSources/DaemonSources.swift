package import Rx
package import RxHost
internal import RxJSON
internal import RxPlatform
package import RxSources
package import RxStreams
package import RxTime

/// Opens the sources of a daemon's streams.
// Unchecked: the watcher is made once, under a lock.
package final class DaemonSources: SourceOpener, @unchecked Sendable {
    /// What the sources of a daemon need of it.
    package struct Surroundings: Sendable {
        package var clock: any AlarmClock
        package var zone: MachineZone
        package var zones: ZoneFiles
        package var start: DaemonStart
        /// A text that identifies the machine, for jitter.
        package var machine: String
        /// The directory of the indices of watched paths; nil keeps them in memory.
        package var indices: String?
        package var journals: Journals
        package var buses: BusConnections
        package var signals: SharedSignals
        /// Makes the source of a program that is kept running: its words, the name of the stream, and whether its lines
        /// are JSON.
        package var makeProgram: @Sendable (_ words: [String], _ stream: String, _ isJSON: Bool) -> any StreamSource

        package init(
            clock: any AlarmClock, zone: MachineZone, zones: ZoneFiles, start: DaemonStart, machine: String,
            indices: String?, journals: Journals, buses: BusConnections, signals: SharedSignals,
            makeProgram: @escaping @Sendable (_ words: [String], _ stream: String, _ isJSON: Bool) -> any StreamSource
        ) {
            self.clock = clock
            self.zone = zone
            self.zones = zones
            self.start = start
            self.machine = machine
            self.indices = indices
            self.journals = journals
            self.buses = buses
            self.signals = signals
            self.makeProgram = makeProgram
        }
    }

    private let host: Host
    private let surroundings: Surroundings
    private let actionReaders: ActionReaders
    private let watcher = Locked<FileWatcher?>(nil)

    package init(_ host: Host, _ surroundings: Surroundings) {
        self.host = host
        self.surroundings = surroundings
        actionReaders = ActionReaders(host)
    }

    package func open(
        _ source: ExternalSource, of stream: String, place: String, isKept: Bool
    ) throws(SourceUnavailable) -> any StreamSource {
        guard let opened = try make(source, stream, place, isKept: isKept) else {
            throw SourceUnavailable("its source \(source.kind) cannot be opened; check its value")
        }
        return opened
    }

    /// Nil for a kind or a value that this daemon does not know. The configuration was checked when it was read.
    private func make(
        _ source: ExternalSource, _ stream: String, _ place: String, isKept: Bool
    ) throws(SourceUnavailable) -> (any StreamSource)? {
        switch source.kind {
        case "every", "calendar", "cron", "at": try slots(source, stream)
        case "after":
            AfterSource(
                .microseconds(source.duration("after") ?? 0), zone: .machine(surroundings.zone),
                clock: surroundings.clock, queue: queue(stream))
        case "start": StartSource(surroundings.start, queue: queue(stream))
        case "path": try path(source, stream, place, isKept: isKept)
        case "lines":
            LineSource(path: source.text("lines") ?? "", watcher: try fileWatcher(), keepsPosition: isKept)
        case "space":
            SpaceSource(
                source.text("space") ?? "", interval: .microseconds(source.duration("interval") ?? 60_000_000),
                clock: surroundings.clock, queue: queue(stream),
                measuring: host.platform.queues.serial("rxd.space.\(stream)"))
        case "action":
            ActionSource(
                source.texts("action") ?? [], channels: source.texts("channel") ?? ["elements"],
                readers: actionReaders)
        case "reactor":
            ReactorSource(
                source.text("reactor") ?? "",
                pointer: (try? JSONPointer(source.text("pointer") ?? "")) ?? JSONPointer(tokens: []), host: host
            ) { [clock = surroundings.clock] in clock.now }
        case "subject": SubjectSource()
        case "journal":
            (try? JournalRule((source.table("journal") ?? [:]).mapValues { [$0] })).map {
                JournalSource($0, of: surroundings.journals)
            }
        case "unit": source.unitPattern.map { UnitSource($0, of: surroundings.buses) }
        case "bus": bus(source)
        case "signal":
            (try? SignalName(source.text("signal") ?? "")).map {
                SignalSource($0, of: surroundings.signals, on: host.platform)
            }
        case "program":
            surroundings.makeProgram(source.texts("program") ?? [], stream, source.text("output") == "json")
        default: nil
        }
    }

    package func watch(
        path: String, _ report: @escaping @Sendable (Bool) -> Void
    ) throws(SourceUnavailable) -> any Disposable {
        let presence = PathPresence(path, watcher: try fileWatcher(), report: report)
        return Disposables.create { presence.stop() }
    }

    /// Calls `completion` once what the sources of files have written is on the disk: after the streams have stopped.
    package func drain(_ completion: @escaping @Sendable () -> Void) {
        guard let watcher = watcher.withLock({ $0 }) else { return completion() }
        watcher.drain(completion, orAfter: Self.patience, on: host.platform.queues.shared)
    }

    /// How long a stop waits for a file system.
    private static let patience = Duration.seconds(2)

    private func queue(_ stream: String) -> WorkQueue { host.platform.queues.serial("rxd.source.\(stream)") }

    private func slots(_ source: ExternalSource, _ stream: String) throws(SourceUnavailable) -> SlotSource? {
        guard let rule = Self.rule(source) else { return nil }
        let zone: SlotZone
        do throws(SlotFault) {
            zone = try rule.zone(named: source.text("zone"), machine: surroundings.zone, files: surroundings.zones)
        } catch {
            throw SourceUnavailable("\(error.key): \(error.message)")
        }
        var definition = SlotDefinition(rule, zone: zone)
        if let missed = source.text("missed").flatMap(MissedPolicy.init(rawValue:)) { definition.missed = missed }
        if let window = source.duration("missed-window") { definition.window = window }
        definition.jitter = Jitter(
            below: source.duration("jitter") ?? 0, machine: surroundings.machine, stream: stream)
        return SlotSource(definition, clock: surroundings.clock, queue: queue(stream))
    }

    private static func rule(_ source: ExternalSource) -> SlotRule? {
        if let distance = source.duration("every") { return .every(microseconds: distance) }
        let text = source.text(source.kind) ?? ""
        switch source.kind {
        case "calendar": return try? .calendar(text)
        case "cron": return try? .cron(text)
        default: return try? .at(text)
        }
    }

    private func path(
        _ source: ExternalSource, _ stream: String, _ place: String, isKept: Bool
    ) throws(SourceUnavailable) -> PathSource {
        let watcher = try fileWatcher()
        var options = PathOptions(root: source.text("path") ?? "")
        if let events = source.texts("events") { options.events = Set(events.compactMap(PathOptions.Event.init)) }
        options.recursive = source.boolean("recursive") ?? false
        options.include = (source.texts("include") ?? []).compactMap { PathGlob($0) }
        options.exclude = (source.texts("exclude") ?? []).compactMap { PathGlob($0) }
        options.existing = source.boolean("existing") ?? false
        if let most = source.count("most") { options.most = most }
        return PathSource(
            options, indexPath: isKept ? indexPath(stream, place) : nil,
            definition: SourceDefinition.external(source).fingerprint, watcher: watcher)
    }

    /// The file of the index of a watched path.
    private func indexPath(_ stream: String, _ place: String) -> String? {
        let name = String("\(stream).\(place).index".map { $0 == "/" ? "_" : $0 })
        return surroundings.indices.map { "\($0)/\(name)" }
    }

    package func forget(_ stream: String, place: String) {
        guard let path = indexPath(stream, place) else { return }
        PathSource.removeIndex(at: path, of: watcher.withLock { $0 })
    }

    private func bus(_ source: ExternalSource) -> BusSignalSource? {
        let table = source.table("bus") ?? [:]
        let rule = try? BusSignalRule(
            interface: table["interface"], member: table["member"], path: table["path"], sender: table["sender"])
        return rule.map { BusSignalSource($0, system: source.boolean("system") ?? true, of: surroundings.buses) }
    }

    /// Made for the first source that needs it.
    private func fileWatcher() throws(SourceUnavailable) -> FileWatcher {
        let made = watcher.withLock { watcher -> Result<FileWatcher, any Error> in
            if let watcher { return .success(watcher) }
            let made = Result { try FileWatcher(platform: host.platform) }
            watcher = try? made.get()
            return made
        }
        switch made {
        case .success(let watcher): return watcher
        case .failure(let error): throw SourceUnavailable("files cannot be watched: \(error)")
        }
    }
}

extension SlotSource: ScheduledSource {
    package func upcomingSlots(_ count: Int) -> [Instant] { upcoming(count).map(\.due) }
}

extension AfterSource: ScheduledSource {
    package func upcomingSlots(_ count: Int) -> [Instant] { upcoming.map { [$0] } ?? [] }
}
