internal import Rx
internal import RxJSON
internal import RxStreams
internal import RxTime

/// A stream in a test, with those that read it.
// Unchecked: a test runs on one thread.
final class TestedStream: @unchecked Sendable {
    /// What happens in the stream.
    enum Event {
        case element(StreamElement)
        case failure(StreamFailure)
        case end
    }

    let running: RunningStream
    private unowned let clock: TestClock
    private let observe: (Event) -> Void
    private var readers: [(stream: TestedStream, port: SourcePort, channel: StreamChannel)] = []

    /// - Parameter observe: receives what happens, before the streams that read this one.
    init(_ definition: StreamDefinition, _ surroundings: TestSurroundings, observe: @escaping (Event) -> Void) {
        self.observe = observe
        clock = surroundings.clock
        let environment = TestEnvironment(surroundings)
        running = RunningStream(
            definition, startingAt: clock.now, evaluator: surroundings.evaluator, environment: environment)
        environment.failed = { [weak self] in self?.failed($0) }
    }

    var name: String { running.definition.name }

    func add(reader: TestedStream, _ port: SourcePort, _ channel: StreamChannel) {
        readers.append((reader, port, channel))
    }

    func begin() {
        running.begin { [unowned self] element in
            observe(.element(element))
            send(element.value, at: element.time, element.origin, to: .elements)
        } end: { [unowned self] in
            observe(.end)
            for reader in readers { clock.post { reader.stream.finish(reader.port) } }
        }
    }

    /// Has the stream process an element of one of its sources.
    func process(_ element: StreamElement, from port: SourcePort) {
        running.advance(to: clock.now)
        running.process([element], from: port)
    }

    func finish(_ port: SourcePort) {
        running.advance(to: clock.now)
        port.finish()
    }

    func failed(_ failure: StreamFailure) {
        observe(.failure(failure))
        send(failure.json, to: .errors)
    }

    /// Sends a value to the streams that read a channel.
    func send(
        _ value: RawJSON, at time: Instant? = nil, _ origin: ElementOrigin? = nil, to channel: StreamChannel
    ) {
        let element = StreamElement(value: value, time: time ?? clock.now, origin: origin)
        for reader in readers where reader.channel == channel {
            clock.post { reader.stream.process(element, from: reader.port) }
        }
    }
}

extension StreamFailure {
    /// The value of an `errors` event.
    fileprivate var json: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            if let step { writer.field("step", step) }
            if let operatorName { writer.field("operator", operatorName) }
            if let program { writer.field("program", program) }
            writer.field("message", message)
            if let element { writer.field("element", element) }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
