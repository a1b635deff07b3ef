internal import Rx
internal import RxAction
internal import RxHost
internal import RxPlatform
internal import RxRecords
internal import RxTime

/// The executions of the actions of a stream's `on`s, for file events: one that arrives while such an execution is in
/// flight counts as caused by it.
final class OwnExecutions: Sendable {
    /// The executions that are remembered after their end, until the events arrive that they have caused: moves are
    /// paired for 50 ms.
    private static let kept = 16

    private struct Ended {
        let times: ClosedRange<Int64>
        let causes: Causes
    }

    private let host: Host
    private let actions: Set<String>
    private let ended = Locked<[Ended]>([])

    init(_ actions: Set<String>, _ host: Host) {
        self.actions = actions
        self.host = host
    }

    /// An execution that an `on` has started has ended.
    func noteEnd(of id: ExecutionID) {
        guard let execution = host.execution(id) else { return }
        let record = host.log.record(of: execution)
        guard let start = record.startedAt else { return }
        let end = max(start, record.endedAt ?? host.platform.wallClock.milliseconds)
        ended.withLock { ended in
            if ended.count == Self.kept { ended.removeFirst() }
            ended.append(Ended(times: start...end, causes: record.causes))
        }
    }

    /// The causes of an execution that was in flight at a time; nil if none was. Of several, those with the longest
    /// chain, so that no loop is missed.
    func causes(at time: Instant) -> Causes? {
        guard !actions.isEmpty else { return nil }
        let milliseconds = time.microseconds / 1000
        let records = host.log.inFlight.filter { actions.contains($0.action.name) }.map { host.log.record(of: $0) }
        var found = records.filter { $0.startedAt != nil }.map(\.causes)
        found += ended.withLock { $0 }.filter { $0.times.contains(milliseconds) }.map(\.causes)
        return found.max { $0.links.count < $1.links.count }
    }
}
