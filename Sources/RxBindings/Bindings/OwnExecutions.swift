internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxRecords
internal import RxSources
internal import RxStore
internal import RxStreams
internal import RxTime

/// The executions of the actions of a stream's `on`s, for file events: one that arrives while such an execution is in
/// flight counts as caused by it.
///
/// Files that others write one after the other arrive like that, too, if the executions take longer than the time
/// between two files. So a chain that grows long is examined: the stream waits until none of its executions is in
/// flight, and for a while after that. If file events arrive then, others write files as well, and what has happened so
/// far is no part of a chain any more.
final class OwnExecutions: Sendable {
    /// The executions that are remembered after their end, until the events arrive that they have caused: moves are
    /// paired for 50 ms.
    private static let kept = 16
    /// The lengths of a chain at which it is examined: twice before it is taken for a loop.
    private static let examined: Set<Int> = [Causes.mostLinks / 2, Causes.mostLinks * 3 / 4]
    /// Milliseconds after the end of an execution in which its events may still arrive.
    private static let lag: Int64 = 1000
    /// The least and the most milliseconds in which events of others are waited for.
    private static let watch: ClosedRange<Int64> = 1000...60_000

    private struct Ended {
        let span: Span
        let times: ClosedRange<Int64>
    }

    /// An execution that may cause events.
    private struct Span {
        let causes: Causes
        /// Milliseconds since 1970.
        let queuedAt: Int64
    }

    private struct State {
        var ended: [Ended] = []
        /// Whether events were attributed to executions: the stream has a source of file events.
        var hasAttributed = false
        /// Since when the examination under way has seen no execution in flight.
        var quietSince: Int64?
        /// The time of the last examination in which no execution can have caused an event.
        var examined: ClosedRange<Int64>?
        /// What was accepted, or has arrived, up to this time is no part of a chain any more.
        var pardoned = Int64.min
    }

    private let stream: String
    private let host: Host
    private let actions: Set<String>
    private let state = Locked(State())

    init(_ actions: Set<String>, of stream: String, _ host: Host) {
        self.stream = stream
        self.actions = actions
        self.host = host
    }

    /// An execution that an `on` has started has ended.
    func noteEnd(of id: ExecutionID) {
        guard let execution = host.execution(id) else { return }
        let record = host.log.record(of: execution)
        guard let start = record.startedAt else { return }
        let end = max(start, record.endedAt ?? host.platform.wallClock.milliseconds)
        let span = Span(causes: record.causes, queuedAt: record.queuedAt)
        state.withLock { state in
            if state.ended.count == Self.kept { state.ended.removeFirst() }
            state.ended.append(Ended(span: span, times: start...end))
        }
    }

    // MARK: Events that arrive

    /// The causes of events, as stored, by their times of arrival: those of the execution that was in flight; nil if
    /// none was. Of several, those with the longest chain, so that no loop is missed.
    func causes(at times: [Instant]) -> [RawJSON?] {
        guard !actions.isEmpty else { return times.map { _ in nil } }
        let (records, now) = (inFlight.filter { $0.startedAt != nil }, host.platform.wallClock.milliseconds)
        return state.withLock { state in
            let times = times.map { $0.microseconds / 1000 }
            if let examined = state.examined, times.contains(where: examined.contains) {
                state.pardoned = max(state.pardoned, now)
            }
            var last: (causes: Causes, stored: RawJSON)?
            return times.map { time in
                var spans = records.filter { $0.startedAt ?? .max <= time }.map {
                    Span(causes: $0.causes, queuedAt: $0.queuedAt)
                }
                spans += state.ended.filter { $0.times.contains(time) }.map(\.span)
                let found = spans.map { $0.queuedAt <= state.pardoned ? $0.causes.ends : $0.causes }
                guard let causes = found.max(by: { $0.links.count < $1.links.count }) else { return nil }
                state.hasAttributed = true
                if let last, last.causes == causes { return last.stored }
                let stored = causes.stored
                last = (causes, stored)
                return stored
            }
        }
    }

    private var inFlight: [ExecutionRecord] {
        host.log.inFlight.filter { actions.contains($0.action.name) }.map { host.log.record(of: $0) }
    }

    // MARK: Elements at an `on`

    /// The causes of an execution that an element starts.
    func causes(of element: StreamElement) -> Causes {
        let causes = Causes(of: element, in: stream)
        guard causes.isChain, element.time.microseconds / 1000 <= state.withLock({ $0.pardoned }) else { return causes }
        return causes.ends
    }

    /// Whether an element has to wait because the chain of its causes is examined; `time` is the present.
    func examines(_ causes: Causes, of element: StreamElement, at time: Instant) -> Bool {
        guard Self.examined.contains(causes.links.count), state.withLock({ $0.hasAttributed }) else { return false }
        let now = time.microseconds / 1000
        // The executions of others may cause events, but no chain.
        let isBusy = inFlight.contains { record in
            if case .stream(let name, _) = record.causes.by { name == stream } else { false }
        }
        return state.withLock { state in
            if let last = state.examined, element.time.microseconds / 1000 <= last.upperBound { return false }
            guard !isBusy else {
                state.quietSince = nil
                return true
            }
            let since = state.quietSince ?? now
            state.quietSince = since
            let begin = (state.ended.map(\.times.upperBound).max() ?? since) + Self.lag
            let longest = state.ended.map { $0.times.upperBound - $0.times.lowerBound }.max() ?? 0
            let watch = min(max(2 * longest, Self.watch.lowerBound), Self.watch.upperBound)
            guard now >= begin + watch else { return true }
            state.quietSince = nil
            state.examined = begin...now
            return false
        }
    }

    /// Lets chains begin anew: the loop was broken.
    func pardon(at time: Instant) {
        state.withLock { $0.pardoned = max($0.pardoned, time.microseconds / 1000) }
    }
}

extension Causes {
    /// The causes of an execution that an element starts: the stream, then what led to the event that the element
    /// stands for.
    init(of element: StreamElement, in stream: String) {
        let origin = Origin.stream(stream, scheduled: element.origin?.scheduled.map(TimeText.utc))
        if let earlier = element.origin?.causes.flatMap({ Causes(stored: $0.value()) }) {
            self.init(origin, after: EarlierCauses(earlier))
        } else {
            self.init(origin)
        }
    }

    /// The nearest link and the origin, whom accounts charge.
    fileprivate var ends: Causes {
        links.count > 2 ? Causes(by, after: EarlierCauses(Causes(origin))) : self
    }
}
