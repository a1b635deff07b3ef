internal import Glibc
internal import Logging
internal import RxBindings
internal import RxConfiguration
internal import RxHost
internal import RxJSON
internal import RxJq
internal import RxLoop
internal import RxOffline
internal import RxPlatform
internal import RxProcess
internal import RxRecords
internal import RxSources
internal import RxStore
internal import RxStreams
internal import RxTime

/// The streams of the daemon: what they need of the machine, and their logs.
final class DaemonStreams: Sendable {
    private let host: Host
    private let streams: StreamHost
    /// Calls its argument once each thread of streams has ended the turn that it takes now.
    let probe: @Sendable (@escaping @Sendable () -> Void) -> Void
    var conditions: ActionConditions { streams.conditions }
    private let sources: DaemonSources
    private let programs: RunningPrograms
    private let clock: SystemAlarmClock
    private let start: DaemonStart
    private let localtime: LocaltimeWatch?

    /// Where the store has what concerns no stream.
    private static let ownRows = ""
    private static let stoppedRow = "stopped"

    /// - Parameters:
    ///   - signals: shared with the daemon, which catches those that no stream uses.
    ///   - stored: what an earlier daemon has stored.
    init(
        _ host: Host, loop: EventLoop, processes: ProcessServices, places: Places, signals: SharedSignals,
        stored: [String: [String: RawJSON]], logger: Logger
    ) throws {
        self.host = host
        let platform = host.platform
        clock = try SystemAlarmClock(loop: loop)
        let stopped = stored[Self.ownRows]?[Self.stoppedRow]?.value().int
        start = DaemonStart(stopped: stopped.map { Instant(microseconds: Int64($0)) })
        let zones = ZoneFiles.system()
        let zone = MachineZone(files: zones, variable: getenv("TZ").map { String(cString: $0) })
        localtime = try? LocaltimeWatch(zone, loop: loop)
        let programs = RunningPrograms()
        self.programs = programs
        let surroundings = DaemonSources.Surroundings(
            clock: clock, zone: zone, zones: zones, start: start, machine: MachineID.read(), indices: places.state,
            journals: Journals(loop: loop, platform: platform, own: .ofThisProcess(clock: platform.wallClock)),
            buses: BusConnections(loop: loop, platform: platform, isUserDaemon: getuid() != 0 && getppid() != 1),
            signals: signals
        ) { words, stream, isJSON in
            var definition = ProcessDefinition(arguments: words.map { .text($0) })
            definition.output = .lines
            return ProgramSource(
                stream, definition, output: isJSON ? .json : .lines, with: processes, among: programs,
                on: platform)
        }
        sources = DaemonSources(host, surroundings)
        let services = StreamServices(
            host: host, clock: clock, evaluator: StreamEvaluator(), opener: sources
        ) { event, stream, _ in logger.log(event, of: stream) }
        probe = services.probe
        streams = StreamHost(services, stored: stored.filter { $0.key != Self.ownRows })
    }

    /// Brings the streams of a configuration into force.
    func apply(_ configuration: Configuration, whenDone: @escaping @Sendable () -> Void = {}) {
        streams.apply(configuration.streamPlan, whenDone: whenDone)
    }

    /// What `apply` would do.
    func difference(from configuration: Configuration) -> StreamHost.Change {
        streams.difference(from: configuration.streamPlan)
    }

    /// The daemon serves: the streams with `start = true` emit.
    func ready() { start.ready(at: clock.now) }

    /// Stops all streams, and ends the programs of their sources.
    ///
    /// - Parameter completion: called once, on any thread, when these have ended.
    func stop(_ completion: @escaping @Sendable () -> Void) {
        streams.stop { [host, clock, sources, programs] in
            let now = RawJSON(JSONValue(Int(clock.now.microseconds)))
            host.store?.store(
                [StreamRow(stream: Self.ownRows, name: Self.stoppedRow, value: now)], isDurable: false)
            sources.drain { programs.whenNoneRuns(completion) }
        }
    }
}

extension Configuration {
    /// The streams and what they give their elements to.
    var streamPlan: StreamHost.Plan {
        var access: [String: Access] = [:]
        var conditions: [String: EnabledCondition] = [:]
        for stream in streams {
            access[stream.name] = stream.access.granted
            conditions[stream.name] = stream.condition
        }
        return StreamHost.Plan(
            streams: streams.map(\.definition), bindings: bindings, access: access, conditions: conditions)
    }
}

extension Logger {
    /// Logs what an administrator should see of a stream.
    fileprivate func log(_ event: StreamEvent, of stream: String) {
        let metadata: Logger.Metadata = ["stream": "\(stream)"]
        switch event {
        case .element, .firingEnded: break
        case .failure(let failure):
            let place = failure.step.map { "step \($0), \(failure.operatorName ?? "")" } ?? failure.operatorName ?? ""
            warning("stream \(stream): \(place): \(failure.message)", metadata: metadata)
        case .firing(let firing):
            switch firing.outcome {
            case .accepted, .reduced: break
            case .refused(let name, let message):
                // An action that is busy or disabled is part of a stream's life.
                info(
                    "stream \(stream): \(firing.target) refused an element: \(name): \(message)", metadata: metadata)
            case .failed(let message):
                warning("stream \(stream): an element failed at \(firing.target): \(message)", metadata: metadata)
            }
        case .lost(let count, let step):
            warning("stream \(stream): \(Self.text(ofLost: count, before: step))", metadata: metadata)
        case .waiting(let reason?): warning("stream \(stream) waits: \(reason)", metadata: metadata)
        case .waiting(nil): notice("stream \(stream) is running again", metadata: metadata)
        }
    }

    /// - Parameters:
    ///   - count: how many elements were dropped; nil if nobody knows whether there were any.
    ///   - step: the place of the step; `0` for the source.
    static func text(ofLost count: Int?, before step: String) -> String {
        guard let count else {
            return "elements may be missing: its source has lost events, or executions were interrupted"
        }
        let elements = count == 1 ? "1 element was dropped" : "\(count) elements were dropped"
        return elements + (step == "0" ? " by its source, before its first step" : " before step \(step)")
    }
}
