internal import RxHost
internal import RxJSON
internal import RxStreams
internal import RxTime

/// Hands the events of all streams to the daemon's log and to the subscribers of the host.
final class StreamPublisher: Sendable {
    private let host: Host
    private let observer: @Sendable (StreamEvent, String, Instant) -> Void

    init(_ host: Host, _ observer: @escaping @Sendable (StreamEvent, String, Instant) -> Void) {
        self.host = host
        self.observer = observer
    }

    func publish(_ event: StreamEvent, _ stream: String, _ time: Instant) {
        observer(event, stream, time)
        guard let news = event.news else { return }
        host.publish(news, of: stream, at: time.microseconds / 1000)
    }
}

extension StreamEvent {
    /// The event as subscribers get it; nil for one that concerns logs alone.
    fileprivate var news: StreamNews? {
        switch self {
        case .element(let value): .element(value)
        case .failure(let failure): .failure(RawJSON(failure.json))
        case .firing(let firing), .firingEnded(let firing): .firing(RawJSON(firing.json))
        case .lost(let count, let step): .drops(StreamDrops(count, before: step))
        case .waiting: nil
        }
    }
}
