internal import Dispatch
internal import Rx
internal import RxJSON
internal import RxTime

extension StreamOperator {
    static let concatMap = executing(
        "concatMap", summary: "Executes an action for each element, one after the other."
    ) { step, inner, source in
        inner.queued(source).concatMap { $0.next() }
    }

    static let flatMap = executing(
        "flatMap", summary: "Executes an action for each element, several at once.",
        parameters: [Parameter("limit", .count(1...10_000), standard: "32", "the most at once; the rest waits")]
    ) { step, inner, source in
        inner.queued(source).map { $0.next() }.merge(maxConcurrent: step.definition.count("limit") ?? 32)
    }

    static let flatMapLatest = executing(
        "flatMapLatest", summary: "Executes an action for each element, and cancels the one before it."
    ) { step, inner, source in
        source.flatMapLatest { inner.begin($0) }
    }

    static let flatMapFirst = executing(
        "flatMapFirst", summary: "Executes an action for an element, and drops those that come until it has ended."
    ) { step, inner, source in
        source.flatMapFirst { inner.begin($0) }
    }

    private static func executing(
        _ name: String, summary: String, parameters: [Parameter] = [],
        flatten: @escaping @Sendable (StepContext, InnerWork, Observable<StreamElement>) -> Observable<StreamElement>
    ) -> StreamOperator {
        StreamOperator(
            name, .executing, .each, .action, summary: summary,
            parameters: [
                Parameter("input", .program(.one), standard: "the element", "gives the input of the action"),
                Parameter(
                    "yields", .choice(["last", "all", "each"]), standard: "last",
                    "what is emitted: the execution's last element or null, an array of all, or each one"),
            ] + parameters, isExecuting: true, isComposed: true
        ) { step, source in
            let inner = InnerWork(step)
            return flatten(step, inner, source).do(onDispose: { inner.endWaiting() })
        }
    }
}

/// The inner stream of an executing step: an execution, or the results of a program passed through steps.
// Unchecked: belongs to the stream's turn.
private final class InnerWork: @unchecked Sendable {
    private let step: StepContext
    /// The elements that wait for their turn.
    private let waiting = PassageQueue()
    /// How often `next` is going to be subscribed to. As often as elements wait, and more often if some were dropped.
    private var turns = 0

    init(_ step: StepContext) { self.step = step }

    /// The work for an element whose turn it is.
    func begin(_ element: StreamElement) -> Observable<StreamElement> {
        Passage(step, element).work { [self] in modified($0) }
    }

    /// Has the elements wait for their turn, and emits a turn for each. An element that makes room for itself takes the
    /// turn of the one that is dropped.
    func queued(_ source: Observable<StreamElement>) -> Observable<InnerWork> {
        source.compactMap { [self] element -> InnerWork? in
            makeRoom()
            let passage = Passage(step, element)
            passage.wait(in: waiting)
            guard turns < waiting.count else { return nil }
            turns += 1
            return self
        }
    }

    /// Drops as many elements as there have to be fewer.
    private func makeRoom() {
        let counter = step.counter
        while counter.isFull {
            let isByBytes = counter.waiting < StreamLimits.pendingElements
            guard let oldest = counter.passages.oldestOfMost(byBytes: isByBytes) else { return }
            oldest.end()
            step.lose(1)
        }
    }

    /// The work for the element that has waited longest: its turn has come.
    func next() -> Observable<StreamElement> {
        Observable.deferred { [self] in
            turns -= 1
            guard let passage = waiting.first else { return .empty() }
            passage.leaveQueue()
            return passage.work { [self] in modified($0) }
        }
    }

    /// Nothing waits any more.
    func endWaiting() {
        while let passage = waiting.first { passage.end() }
    }

    /// The work with what `retry` and `catch` make of its failures.
    private func modified(_ element: StreamElement) -> Observable<StreamElement> {
        var work = attempt(element)
        for modifier in step.modifiers {
            if modifier.name == "retry" {
                work = retried(work, Backoff(modifier), failures: 1)
            } else if let program = modifier.program("catch") {
                work = caught(work, program, element)
            }
        }
        return work.catch { [step] error in
            // In an inner stream, the executing step around it decides.
            if step.surroundings.isInnerStream { return .error(error) }
            step.report(Self.failure(error, element, step))
            return .empty()
        }
    }

    private static func failure(_ error: any Error, _ element: StreamElement, _ step: StepContext) -> StreamFailure {
        if let inner = error as? InnerFailure { return inner.failure }
        step.counter.failed += 1
        return StreamFailure(
            step: step.place, operatorName: step.definition.name, message: StepFailure.of(error).message,
            element: element.value)
    }

    /// What a program of the step itself makes of an element, or the failure that was reported: empty, or the error
    /// that ends the inner stream around the step.
    private func failedProgram() -> Observable<StreamElement> {
        guard let failure = step.innerFailure else { return .empty() }
        step.innerFailure = nil
        return .error(failure)
    }

    private func attempt(_ element: StreamElement) -> Observable<StreamElement> {
        switch step.definition.main {
        case .each(let program, let steps)?:
            return Observable.deferred { [self] in
                guard let values = step.values(program, of: element.value, in: element) else {
                    return failedProgram()
                }
                var inner = element
                inner.from = element.value
                let scope = step.scope.innerStream()
                return step.chain(
                    steps, over: Observable.from(values.map { inner.with($0) }), in: .innerStream(of: step, scope)
                )
                .do(onDispose: { scope.end() })
            }
        case .text(let action)?:
            return Observable.deferred { [self] in
                var input = element.value
                if let program = step.definition.program("input") {
                    guard let value = step.value(program, of: input, in: element) else { return failedProgram() }
                    input = value
                }
                let yields = step.definition.text("yields") ?? "last"
                let execution = StepExecution(
                    action: action, input: input, element: element, step: step.place, isLastOnly: yields == "last")
                let values = step.stream.environment.execute(execution, in: step.stream)
                return Self.yielded(values, yields).map { [step] value in
                    var result = element.with(value)
                    result.from = element.value
                    result.time = step.clock.instant
                    return result
                }
            }
        default: return .empty()
        }
    }

    private static func yielded(_ values: Observable<RawJSON>, _ yields: String) -> Observable<RawJSON> {
        switch yields {
        case "each": values
        case "all": values.toArray().asObservable().map { array($0) }
        default: values.takeLast(1).ifEmpty(default: .null)
        }
    }

    private func retried(
        _ work: Observable<StreamElement>, _ backoff: Backoff, failures: Int
    ) -> Observable<StreamElement> {
        work.catch { [self] error in
            guard failures < backoff.attempts, StepFailure.of(error).mayPass else { return .error(error) }
            let delay = RxTimeInterval.microseconds(Int(backoff.delay(after: failures)))
            return Observable<Int>.timer(delay, scheduler: step.clock).flatMap { [self] _ in
                retried(work, backoff, failures: failures + 1)
            }
        }
    }

    private func caught(
        _ work: Observable<StreamElement>, _ program: StreamProgram, _ element: StreamElement
    ) -> Observable<StreamElement> {
        work.catch { [self] error in
            var writer = JSONWriter()
            writer.object {
                $0.field("element", element.value)
                $0.field("error", StepFailure.of(error).error)
            }
            let input = RawJSON(unchecked: writer.bytes)
            guard let values = step.values(program, of: input, in: element) else { return failedProgram() }
            return Observable.from(
                values.map { value in
                    var result = element.with(value)
                    result.from = element.value
                    result.time = step.clock.instant
                    return result
                })
        }
    }
}

extension StepFailure {
    static func of(_ error: any Error) -> StepFailure {
        if let failure = error as? StepFailure { return failure }
        // A program would fail again.
        let mayPass = !(error is InnerFailure)
        let message = (error as? InnerFailure)?.failure.message ?? "\(error)"
        let text: JSONValue = ["name": "failed", "message": .string(message)]
        return StepFailure(name: "failed", message: message, error: RawJSON(text), mayPass: mayPass)
    }
}
