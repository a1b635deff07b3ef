internal import Rx
internal import RxJSON
internal import RxStreams
internal import RxTime

/// A stream in a test, with those that read it.
// Unchecked: a test runs on one thread.
final class TestedStream: @unchecked Sendable {
    let running: RunningStream
    private unowned let world: TestWorld
    private let environment: TestEnvironment
    private var readers: [(stream: TestedStream, port: SourcePort, channel: StreamChannel)] = []

    init(_ definition: StreamDefinition, _ world: TestWorld) {
        self.world = world
        environment = TestEnvironment(world)
        running = RunningStream(
            definition, startingAt: world.now, evaluator: world.evaluator, environment: environment)
        environment.stream = self
    }

    var name: String { running.definition.name }

    func add(reader: TestedStream, _ port: SourcePort, _ channel: StreamChannel) {
        readers.append((reader, port, channel))
    }

    func begin() {
        running.begin { [unowned self] element in
            world.stream(self, emitted: element)
            send(element.value, at: element.time, element.origin, to: .elements)
        } end: { [unowned self] in
            world.streamEnded(self)
            for reader in readers { world.post { [world] in reader.stream.finish(reader.port, at: world.now) } }
        }
    }

    /// Has the stream process an element of one of its sources.
    func process(_ element: StreamElement, from port: SourcePort, at now: Instant) {
        running.advance(to: now)
        running.process([element], from: port)
    }

    func finish(_ port: SourcePort, at now: Instant) {
        running.advance(to: now)
        port.finish()
    }

    func failed(_ failure: StreamFailure) {
        world.stream(self, failed: failure)
        send(failure.json, to: .errors)
    }

    /// Sends a value to the streams that read a channel.
    func send(
        _ value: RawJSON, at time: Instant? = nil, _ origin: ElementOrigin? = nil, to channel: StreamChannel
    ) {
        let element = StreamElement(value: value, time: time ?? world.now, origin: origin)
        for reader in readers where reader.channel == channel {
            world.post { [world] in reader.stream.process(element, from: reader.port, at: world.now) }
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
