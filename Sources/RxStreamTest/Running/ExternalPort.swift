internal import RxJSON
internal import RxStreams
internal import RxTime

/// A source of the outside world, where it enters a stream.
// Unchecked: a test runs on one thread.
final class ExternalPort: @unchecked Sendable {
    let stream: TestedStream
    let port: SourcePort
    let source: ExternalSource
    /// Whether the test gives its elements.
    var isGiven = false
    private var last: RawJSON?

    init(_ stream: TestedStream, _ port: SourcePort, _ source: ExternalSource) {
        self.stream = stream
        self.port = port
        self.source = source
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
    func take(state: RawJSON, _ world: TestWorld) {
        let value = pointer.map { state.value(at: $0) ?? .null } ?? state
        guard value != last else { return }
        last = value
        send(value, world)
    }

    /// The pointer of a source that reads a part of a state.
    private var pointer: JSONPointer? {
        source.text("pointer").flatMap { $0.isEmpty ? nil : try? JSONPointer($0) }
    }

    /// Has the stream process an element, after what happens now.
    func send(_ value: RawJSON, scheduled: Instant? = nil, _ world: TestWorld) {
        let origin = scheduled.map { ElementOrigin(scheduled: $0) }
        world.post { [self, unowned world] in
            stream.process(StreamElement(value: value, time: world.now, origin: origin), from: port, at: world.now)
        }
    }

    func finish(_ world: TestWorld) {
        world.post { [self, unowned world] in stream.finish(port, at: world.now) }
    }

    func fail(_ world: TestWorld) {
        world.post { [self] in stream.failed(StreamFailure(message: "the source failed")) }
    }
}
