internal import Rx
public import RxTime
internal import RxJSON

/// A stream that runs: its chain, subscribed to, with a clock that whoever owns it moves. It belongs to one thread at a
/// time; a daemon runs it in turns, a test in virtual time.
// Unchecked: belongs to the stream's turn.
public final class RunningStream: @unchecked Sendable {
    /// The stream.
    public let definition: StreamDefinition
    /// What the steps share: the ports, the counters, the clock.
    public let context: StreamContext
    /// Whether the stream has ended; its elements are ignored from then on.
    public private(set) var hasEnded = false
    private let chain: StreamChain
    private let prefix: BatchedPrograms
    private let subscription = SerialDisposable()

    /// Composes a stream; `begin` starts it.
    public init(
        _ definition: StreamDefinition, startingAt time: Instant, state: StreamState = StreamState(),
        evaluator: any ProgramEvaluator, environment: any StreamEnvironment
    ) {
        self.definition = definition
        chain = StreamChain(
            definition, clock: StreamClock(time), state: state, evaluator: evaluator, environment: environment)
        context = chain.context
        prefix = BatchedPrograms(definition)
    }

    deinit { subscription.dispose() }

    /// Starts the steps: what an earlier run left waiting continues to wait.
    ///
    /// - Parameters:
    ///   - emit: receives the elements of the stream.
    ///   - end: called when the stream ends itself.
    public func begin(_ emit: @escaping @Sendable (StreamElement) -> Void, end: @escaping @Sendable () -> Void = {}) {
        subscription.disposable = chain.output.subscribe(
            onNext: { emit($0) },
            onError: { [weak self] _ in
                self?.hasEnded = true
                end()
            },
            onCompleted: { [weak self] in
                self?.hasEnded = true
                end()
            })
    }

    /// Stops the steps and what they execute.
    public func stop() { subscription.dispose() }

    /// Processes elements of a source in order; each moves the clock to its time, and what is due before comes first.
    public func process(_ elements: [StreamElement], from port: SourcePort) {
        if port.place == "0" { prefix.evaluate(elements, in: context) }
        for element in elements {
            context.clock.advance(to: element.time)
            if !hasEnded { port.send(element) }
        }
        if port.place == "0" { prefix.forget(in: context) }
    }

    /// Does what is due until a time.
    public func advance(to time: Instant) { context.clock.advance(to: time) }

    /// When something is due next; nil if nothing is.
    public var next: Instant? { hasEnded ? nil : context.clock.next }
}
