internal import Rx
internal import RxJSON
internal import RxStreams
internal import RxTime

/// The steps of a running stream: their figures, and who taps them.
// Unchecked: the counters belong to the stream's turn; the rest is constant or locked.
final class StreamSteps: @unchecked Sendable {
    /// The place of the source.
    static let source = "0"

    private let steps: [(place: StepPlace, counter: StepCounter)]
    private let counters: [String: StepCounter]
    private let turns: StreamTurns
    private let taps = Locked<[String: @Sendable (RawJSON, Int64) -> Void]>([:])

    init(_ definition: StreamDefinition, _ context: StreamContext, _ turns: StreamTurns) {
        steps = definition.places.map { ($0, context.counter($0.counted)) }
        let counted = steps.map { ($0.place.place, $0.counter) } + [(Self.source, context.counter(Self.source))]
        counters = Dictionary(counted) { first, _ in first }
        self.turns = turns
    }

    /// The places that can be tapped.
    static func places(_ definition: StreamDefinition) -> [String] { [source] + definition.places.map(\.place) }

    /// Passes on each element that leaves a step from the next turn on, with its time in milliseconds since 1970; nil
    /// ends that. Any thread.
    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?) {
        taps.withLock { $0[place] = body }
        turns.perform { [self] in connect() }
    }

    private func connect() {
        let taps = taps.withLock { $0 }
        // A step and what modifies it share a counter.
        for counter in counters.values { counter.tap = nil }
        for (place, body) in taps {
            guard let counter = counters[place] else { continue }
            let other = counter.tap
            counter.tap = { element in
                other?(element)
                body(element.value, element.time.microseconds / 1000)
            }
        }
    }

    /// Whether the next alarm of the stream may emit something: a step holds elements back, or waits for silence.
    /// Otherwise it only ends a group. In the stream's turn.
    var mayBeDue: Bool { steps.contains { $0.counter.waiting > 0 || $0.place.step.name == "timeout" } }

    /// The figures of the steps. In the stream's turn.
    var figures: [StreamStatus.Step] {
        steps.map { step in
            StreamStatus.Step(
                place: step.place.place, name: step.place.step.name, taken: step.counter.taken,
                emitted: step.counter.emitted, waiting: step.counter.waiting, failed: step.counter.failed)
        }
    }
}
