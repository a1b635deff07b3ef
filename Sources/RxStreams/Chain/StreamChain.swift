public import Rx
internal import RxTime

/// The composition of a stream from Rx's operators.
public final class StreamChain: Sendable {
    /// What the steps share, with the ports through which elements enter.
    public let context: StreamContext
    /// What the last step emits, for one subscriber. Subscribing to it begins the steps.
    public let output: Observable<StreamElement>

    /// Composes a stream.
    ///
    /// - Parameters:
    ///   - definition: the stream.
    ///   - clock: its clock.
    ///   - state: the values of its steps, with what an earlier run stored.
    ///   - evaluator: runs its programs.
    ///   - environment: what is outside.
    public init(
        _ definition: StreamDefinition, clock: StreamClock, state: StreamState = StreamState(),
        evaluator: any ProgramEvaluator, environment: any StreamEnvironment
    ) {
        context = StreamContext(
            name: definition.name, clock: clock, state: state, evaluator: evaluator, environment: environment)
        let surroundings = ChainSurroundings(StateScope(state))
        let source = context.open(definition.source, place: "0", scope: surroundings.scope)
        let counted: Observable<StreamElement>
        if definition.source.leaves.count == 1, definition.source == definition.source.leaves.first {
            // The port counts.
            counted = source
        } else {
            counted = source.counted(context.counter("0"))
        }
        output = Self.compose(definition.steps, counted, context, surroundings)
        Self.declare(definition.steps, in: context, place: "")
    }

    @Sendable
    private static func compose(
        _ steps: [StepDefinition], _ source: Observable<StreamElement>, _ stream: StreamContext,
        _ surroundings: ChainSurroundings
    ) -> Observable<StreamElement> {
        var output = source
        var index = 0
        while index < steps.count {
            let step = steps[index]
            guard let description = OperatorTable.named(step.name) else {
                preconditionFailure("an unknown operator passed the check: \(step.name)")
            }
            var next = index + 1
            if description.isExecuting {
                while next < steps.count, OperatorTable.named(steps[next].name)?.isModifier ?? false { next += 1 }
            }
            let context = StepContext(
                stream, step, index + 1, in: surroundings, modifiers: Array(steps[index + 1..<next]),
                compose: compose)
            if description.isComposed {
                let counter = context.counter
                output = description.build(context, output.do(onNext: { _ in counter.taken += 1 })).counted(counter)
            } else {
                output = description.build(context, output)
            }
            index = next
        }
        return output
    }

    /// Opens the ports of inner chains before the first group or inner stream does: the host connects ports once.
    private static func declare(_ steps: [StepDefinition], in stream: StreamContext, place: String) {
        for (index, step) in steps.enumerated() {
            let place = place.isEmpty ? "\(index + 1)" : "\(place).\(index + 1)"
            for (_, value) in step.arguments.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .source(let source): stream.declare(source, place: "\(place).source")
                case .sources(let sources):
                    for (index, source) in sources.enumerated() {
                        stream.declare(source, place: "\(place).source\(index + 1)")
                    }
                case .steps(let steps), .each(_, let steps): declare(steps, in: stream, place: place)
                case .boolean, .count, .duration, .text, .texts, .table, .json, .program, .named: break
                }
            }
        }
    }
}

extension Observable<StreamElement> {
    /// Counts what a step emits, and shows it to a client that taps the step.
    fileprivate func counted(_ counter: StepCounter) -> Observable<StreamElement> {
        self.do(onNext: { element in
            counter.emitted += 1
            counter.tap?(element)
        })
    }
}
