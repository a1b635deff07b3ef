internal import Rx
internal import RxJSON
internal import RxTime

extension StreamOperator {
    static let buffer = StreamOperator(
        "buffer", .batches, .duration(atLeast: 1_000), .flag,
        summary: "Emits arrays of the elements of each period, or of so many elements.",
        parameters: [Parameter("count", .count(1...StreamLimits.pendingElements), "the most elements of an array")],
        isBrake: true
    ) { step, source in
        Batches(step, span: step.definition.duration("buffer"), count: step.definition.count("count"))
            .emit(source) { array($0.values) }
    }

    static let window = StreamOperator(
        "window", .batches, .duration(atLeast: 1_000), .flag,
        summary: "Emits, for each period or for so many elements, what a program makes of them.",
        parameters: [
            Parameter("count", .count(1...Int.max), "the most elements of a window"),
            Parameter("reduce", .program(.one), required: true, "gives the next state from `{state, element}`"),
            Parameter("initial", .json, required: true, "the state at the beginning of each window"),
        ], isBrake: true
    ) { step, source in
        guard let program = step.definition.program("reduce") else { return source }
        let initial = step.definition.json("initial") ?? .null
        let state = step.cell("state", initial)
        return Batches(
            step, span: step.definition.duration("window"), count: step.definition.count("count"), keeps: false
        ) { element in
            let input = stateAndElement(state.value, element.value)
            guard let next = step.value(program, of: input, in: element) else { return false }
            state.value = next
            return true
        }
        .emit(source) { _ in
            defer { state.value = initial }
            return state.value
        }
    }
}

/// Cuts a stream into batches, by time, by number, or by whichever comes first.
///
/// As with Rx's `buffer`, periods follow each other from the start of the stream, or from the last batch that was full,
/// whether or not there are elements; a period without elements costs nothing.
// Unchecked: belongs to the stream's turn.
private final class Batches: @unchecked Sendable {
    private let step: StepContext
    private let span: Int64?
    private let count: Int?
    private let keeps: Bool
    private let add: (StreamElement) -> Bool
    private let elements: ElementQueue
    private let number: Cell<Int>
    private let periodStart: Cell<Instant>
    private var due: ClockEntry?

    /// - Parameters:
    ///   - keeps: whether the elements themselves are kept until the batch is complete, or only the newest.
    ///   - add: takes an element; false drops it.
    init(
        _ step: StepContext, span: Int64?, count: Int?, keeps: Bool = true,
        add: @escaping (StreamElement) -> Bool = { _ in true }
    ) {
        self.step = step
        self.span = span
        self.count = count
        self.keeps = keeps
        self.add = add
        elements = step.queue("elements")
        number = step.cell("number", 0)
        periodStart = step.cell("start", step.clock.instant)
        // Stored from the first turn on, so that periods keep their places after a restart.
        periodStart.store()
        // The timer is set with the first element: a count without elements would leave them waiting for good.
        if elements.isEmpty, number.value != 0 { number.value = 0 }
    }

    func emit(
        _ source: Observable<StreamElement>, _ value: @escaping (ElementQueue) -> RawJSON
    ) -> Observable<StreamElement> {
        step.sequence(source) { [self] output in
            let close = { [unowned self, unowned output] in
                due?.cancel()
                due = nil
                guard let newest = elements.last?.element else { return }
                var batch = newest.with(value(elements))
                batch.charge = elements.elements.charge
                elements.removeAll()
                number.value = 0
                output.emit(batch)
            }
            if let span, !elements.isEmpty { arm(at: periodStart.value.adding(microseconds: span), close) }
            return StepActions { element, _ in
                guard self.add(element) else { return }
                self.take(element, close)
            } completed: { [unowned output] in
                close()
                output.finish()
            } dispose: {
                self.due?.cancel()
                self.due = nil
            }
        }
    }

    private func take(_ element: StreamElement, _ close: @escaping () -> Void) {
        number.value += 1
        if !keeps { elements.removeAll() }
        let now = step.clock.instant
        elements.append(element, due: now)
        if let count, number.value >= count {
            periodStart.value = now
            return close()
        }
        // A batch that may not grow is complete.
        if elements.isFull { return close() }
        guard let span, number.value == 1 else { return }
        let passed = now.microseconds - periodStart.value.microseconds
        if passed >= span { periodStart.value = now.adding(microseconds: -(passed % span)) }
        arm(at: periodStart.value.adding(microseconds: span), close)
    }

    /// Has the batch end with its period.
    private func arm(at end: Instant, _ close: @escaping () -> Void) {
        due = step.clock.schedule(at: end, step.rank) { [periodStart] in
            periodStart.value = end
            close()
        }
    }
}
