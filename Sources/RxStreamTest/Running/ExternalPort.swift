internal import RxJSON
internal import RxStreams
internal import RxTime

/// A source of the outside world, where it enters a stream.
// Unchecked: a test runs on one thread.
final class ExternalPort: @unchecked Sendable {
    let stream: TestedStream
    let port: SourcePort
    let source: ExternalSource
    private unowned let clock: TestClock
    /// Whether the test gives its elements.
    var isGiven = false
    private var last: RawJSON?

    init(_ stream: TestedStream, _ port: SourcePort, _ source: ExternalSource, _ clock: TestClock) {
        self.stream = stream
        self.port = port
        self.source = source
        self.clock = clock
    }

    /// Whether a schedule gives its elements.
    var isTime: Bool { ["every", "after", "calendar", "cron", "at", "start"].contains(source.kind) }

    /// The names by which `given` may mean it, besides that of its stream: `action:deploy`, `signal:USR1`.
    var labels: [String] { (source.texts(source.kind) ?? []).map { "\(source.kind):\($0)" } }

    func reads(reactor name: String) -> Bool { source.kind == "reactor" && source.text("reactor") == name }

    func reads(action name: String, _ channel: String) -> Bool {
        guard source.kind == "action", let names = source.texts("action") else { return false }
        let channels = source.texts("channel") ?? ["elements"]
        return (names.contains(name) || names.contains("*")) && channels.contains(channel)
    }

    /// Sends what the source has of a reactor's state, if that has changed.
    func take(state: RawJSON) {
        let value = pointer.map { state.value(at: $0) ?? .null } ?? state
        guard value != last else { return }
        last = value
        send(value)
    }

    /// The pointer of a source that reads a part of a state.
    private var pointer: JSONPointer? {
        source.text("pointer").flatMap { $0.isEmpty ? nil : try? JSONPointer($0) }
    }

    /// Has the stream process an element, after what happens now.
    func send(_ value: RawJSON, scheduled: Instant? = nil) {
        let origin = scheduled.map { ElementOrigin(scheduled: $0) }
        clock.post { [self] in
            stream.process(StreamElement(value: value, time: clock.now, origin: origin), from: port)
        }
    }

    func finish() {
        clock.post { [self] in stream.finish(port) }
    }

    func fail() {
        clock.post { [self] in stream.failed(StreamFailure(message: "the source failed")) }
    }
}
