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
    /// Where the clock is to go before anything else happens, as it had to stop before.
    private var target: Instant?

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
    ///
    /// - Returns: how many of the elements it has processed: fewer than there are if the clock must not go on, or if
    ///   programs take long.
    @discardableResult
    public func process(_ elements: [StreamElement], from port: SourcePort) -> Int {
        guard let first = elements.first, advance(to: first.time) else { return 0 }
        let count = port.place == "0" ? prefix.evaluate(elements, in: context) : elements.count
        defer { if port.place == "0" { prefix.forget(in: context) } }
        for (index, element) in elements.prefix(count).enumerated() {
            if index > 0 {
                guard context.clock.mayGoOn(), advance(to: element.time) else { return index }
            }
            if !hasEnded { port.send(element) }
        }
        return count
    }

    /// Does what is due until a time.
    ///
    /// - Returns: whether all of it is done; false if the clock must not go on.
    @discardableResult
    public func advance(to time: Instant) -> Bool {
        let hasArrived = context.clock.advance(to: time)
        target = hasArrived ? nil : max(time, target ?? time)
        return hasArrived
    }

    /// Whether `goOn` has something to do.
    public var isBehind: Bool { target != nil }

    /// Does what was left of what was due.
    ///
    /// - Returns: whether all of it is done.
    public func goOn() -> Bool { target.map { advance(to: $0) } ?? true }

    /// When something is due next; nil if nothing is.
    public var next: Instant? { hasEnded ? nil : context.clock.next }
}
