package import RxHost
internal import RxPlatform
package import RxSources
package import RxStreams
package import RxTime

/// What all streams of a daemon share.
package final class StreamServices: Sendable {
    package let host: Host
    package let clock: any AlarmClock
    package let evaluator: any ProgramEvaluator
    package let opener: any SourceOpener
    let executor: StreamExecutor
    let lastElements: LastElements
    /// Where alarms are handed to streams; they only wake them.
    let queue: WorkQueue
    let publisher: StreamPublisher
    let outputs = StreamOutputs()
    let handoffs = StreamHandoffs()

    /// - Parameters:
    ///   - clock: the clock on the wall.
    ///   - evaluator: runs programs.
    ///   - opener: opens sources.
    ///   - observer: called with each event of a stream, its name, and the time; in the stream's turn.
    package init(
        host: Host, clock: any AlarmClock, evaluator: any ProgramEvaluator, opener: any SourceOpener,
        observer: @escaping @Sendable (StreamEvent, String, Instant) -> Void
    ) {
        self.host = host
        self.clock = clock
        self.evaluator = TurnPrograms(evaluator)
        self.opener = opener
        publisher = StreamPublisher(host, observer)
        executor = StreamExecutor(host.platform)
        lastElements = LastElements(host)
        queue = host.platform.queues.serial("rxd.streams.alarms")
    }

    /// Calls `answer` once each thread of streams has ended the turn that it takes now, or a program in it has.
    package func probe(_ answer: @escaping @Sendable () -> Void) { executor.probe(answer) }
}
