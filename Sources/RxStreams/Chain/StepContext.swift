internal import Rx
internal import RxJSON
internal import RxTime

/// One step of a chain, for the operator that builds it.
// Unchecked: belongs to the stream's turn, but for what is immutable.
public final class StepContext: @unchecked Sendable {
    /// Passes elements through steps, as a chain in these surroundings.
    typealias Compose =
        @Sendable (
            [StepDefinition], Observable<StreamElement>, StreamContext, ChainSurroundings
        ) -> Observable<StreamElement>

    let stream: StreamContext
    let definition: StepDefinition
    /// The chain that the step belongs to.
    let surroundings: ChainSurroundings
    /// The place of the step for people, such as `2.1`.
    let place: String
    /// The place of the step with the keys of groups, for the names of values.
    let path: String
    let rank: StepRank
    /// The steps after an executing step that belong to it.
    let modifiers: [StepDefinition]
    let counter: StepCounter
    private let compose: Compose
    /// A failure that ends the inner stream that the step belongs to, until its stage takes it.
    var innerFailure: InnerFailure?

    /// - Parameter compose: makes the inner chains of the step.
    init(
        _ stream: StreamContext, _ definition: StepDefinition, _ index: Int, in surroundings: ChainSurroundings,
        modifiers: [StepDefinition] = [], compose: @escaping Compose
    ) {
        self.stream = stream
        self.definition = definition
        self.surroundings = surroundings
        self.modifiers = modifiers
        self.compose = compose
        place = surroundings.part(surroundings.place, index)
        path = surroundings.part(surroundings.path, index)
        rank = surroundings.rank.part(index)
        counter = stream.counter(place)
    }

    var clock: StreamClock { stream.clock }
    var scope: StateScope { surroundings.scope }

    // MARK: State

    /// The place of a group of the step, for the names of its values.
    func path(of key: RawJSON) -> String { "\(path)[\(StateName.ascii(key.text))]" }

    func cell<Value: StateValue>(_ name: String, _ initial: Value) -> Cell<Value> {
        Cell(scope, "\(path)/\(name)", initial)
    }

    func queue(_ name: String) -> ElementQueue { ElementQueue(scope, "\(path)/\(name)", counter) }

    func pending(_ name: String, fire: @escaping (StreamElement) -> Void) -> PendingElements {
        PendingElements(clock, scope, rank, queue(name), fire: fire)
    }

    // MARK: Programs

    /// The result of a program that gives exactly one; nil, with the failure reported, if it fails.
    func value(_ program: StreamProgram, of value: RawJSON, in element: StreamElement) -> RawJSON? {
        values(program, of: value, in: element)?.first
    }

    /// If the condition holds; nil, with the failure reported, if the program fails.
    func holds(_ program: StreamProgram, _ element: StreamElement) -> Bool? {
        values(program, of: element.value, in: element).map { $0.first == .true }
    }

    /// The results of a program; nil, with the failure reported, if it fails.
    func values(_ program: StreamProgram, of value: RawJSON, in element: StreamElement) -> [RawJSON]? {
        switch result(program, value, element) {
        case .values(let values): return values
        case .failed(let message):
            fail(message, program: program, element.value)
            return nil
        }
    }

    private func result(_ program: StreamProgram, _ value: RawJSON, _ element: StreamElement) -> ProgramResult {
        if !stream.known.isEmpty, let known = stream.known[path], known.next < known.results.count {
            stream.known[path]?.next += 1
            return known.results[known.next]
        }
        let input = ProgramInput(value: value, time: element.time, key: element.key, from: element.from)
        return stream.evaluator.evaluate(program, on: [input]).first ?? .failed("gave no result")
    }

    /// Reports a failure, whose element is dropped. In an inner stream, it ends the inner stream instead, and the
    /// executing step around it decides.
    func fail(_ message: String, program: StreamProgram? = nil, _ element: RawJSON?) {
        counter.failed += 1
        let failure = StreamFailure(
            step: place, operatorName: definition.name, program: program?.text, message: message, element: element)
        if surroundings.isInnerStream {
            innerFailure = InnerFailure(failure: failure)
        } else {
            report(failure)
        }
    }

    func report(_ failure: StreamFailure) { stream.environment.report(failure, in: stream) }

    /// Elements had to be dropped before the next one.
    func lose(_ count: Int) { stream.environment.report(lost: count, step: place, in: stream) }

    // MARK: Composition

    /// A sequence made from `source` by a closure that gets each element, and the output.
    func transform(
        _ source: Observable<StreamElement>, _ body: @escaping (StreamElement, StepStage) -> Void
    ) -> Observable<StreamElement> {
        sequence(source) { _ in StepActions(next: body) }
    }

    /// A sequence made from `source` by actions that begin anew with each subscription. Actions hold the output weakly
    /// or release it when they are disposed.
    func sequence(
        _ source: Observable<StreamElement>, _ begin: @escaping (StepStage) -> StepActions
    ) -> Observable<StreamElement> {
        StepSequence(source, self, begin)
    }

    /// Passes elements through the steps of an inner chain.
    func chain(
        _ steps: [StepDefinition], over source: Observable<StreamElement>, in surroundings: ChainSurroundings
    ) -> Observable<StreamElement> {
        compose(steps, source, stream, surroundings)
    }

    /// Opens a source that the step reads.
    func open(_ source: SourceDefinition, _ part: String = "source") -> Observable<StreamElement> {
        stream.open(source, place: "\(place).\(part)", scope: scope)
    }
}

/// The failure of a step in an inner stream.
struct InnerFailure: Error {
    let failure: StreamFailure
}
