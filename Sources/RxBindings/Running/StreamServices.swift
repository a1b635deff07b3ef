internal import Rx
package import RxHost
package import RxJSON
package import RxPlatform
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
    private let observer: @Sendable (StreamEvent, String, Instant) -> Void
    private let streams = Locked<[String: LiveStream]>([:])

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
        self.evaluator = evaluator
        self.opener = opener
        self.observer = observer
        executor = StreamExecutor(host.platform)
        lastElements = LastElements(host)
        queue = host.platform.queues.serial("rxd.streams.alarms")
    }

    func publish(_ event: StreamEvent, _ stream: String, _ time: Instant) {
        observer(event, stream, time)
        guard let news = event.news else { return }
        host.publish(news, of: stream, at: time.microseconds / 1000)
    }

    func noteWaiting(_ stream: String, _ reason: String?) { observer(.waiting(reason), stream, clock.now) }

    func set(_ streams: [String: LiveStream]) {
        self.streams.withLock { $0 = streams }
        lastElements.set(streams.values.map(\.definition))
    }

    /// Passes what a stream emits to another one.
    func connect(
        _ name: String, _ channel: StreamChannel, _ body: @escaping @Sendable (StreamElement) -> Void
    ) -> any Disposable {
        streams.withLock { $0[name] }?.connect(channel, body) ?? Disposables.create()
    }
}

/// Something that happened in a stream.
package enum StreamEvent: Sendable {
    case element(RawJSON)
    case failure(StreamFailure)
    case firing(Firing)
    /// So many elements had to be dropped before a step.
    case lost(Int, step: String)
    /// The source waits for its environment, with the reason; or does no longer.
    case waiting(String?)
}

extension StreamEvent {
    /// The event as subscribers get it; nil for one that concerns logs alone.
    fileprivate var news: StreamNews? {
        switch self {
        case .element(let value): .element(value)
        case .failure(let failure): .failure(RawJSON(failure.json))
        case .firing(let firing): .firing(RawJSON(firing.json))
        case .lost, .waiting: nil
        }
    }
}
