internal import RxJSON
internal import RxTime
internal import Rx

/// What the steps of one stream share: its clock, its state, and what is outside.
// Unchecked: belongs to the stream's turn, but for what is immutable.
public final class StreamContext: @unchecked Sendable {
    /// The name of the stream.
    public let name: String
    /// The stream's clock.
    public let clock: StreamClock
    /// The values of its steps.
    public let state: StreamState
    let evaluator: any ProgramEvaluator
    let environment: any StreamEnvironment
    /// The sources that the chain reads, in the order in which it opened them. The first ones are the stream's own.
    public private(set) var ports: [SourcePort] = []
    private var portsByPlace: [String: SourcePort] = [:]
    /// Figures by the places of the steps: `0` is the source.
    public private(set) var counters: [String: StepCounter] = [:]
    /// Results that are known before their elements arrive, by the place of the step.
    var known: [String: KnownResults] = [:]

    init(
        name: String, clock: StreamClock, state: StreamState, evaluator: any ProgramEvaluator,
        environment: any StreamEnvironment
    ) {
        self.name = name
        self.clock = clock
        self.state = state
        self.evaluator = evaluator
        self.environment = environment
    }

    /// Elements that are in executing steps: the position of the source stays before them.
    public private(set) var held = 0

    func hold() { held += 1 }
    func release() { held -= 1 }

    /// The figures of a step, which may have no group or inner stream yet; `0` is the source.
    public func counter(_ place: String) -> StepCounter {
        if let counter = counters[place] { return counter }
        let counter = StepCounter()
        counters[place] = counter
        return counter
    }

    /// Opens a source: its elements come through the ports at its place.
    ///
    /// - Parameter scope: keeps what waits in a combination.
    func open(_ source: SourceDefinition, place: String, scope: StateScope) -> Observable<StreamElement> {
        switch source {
        case .external, .stream: return port(source, place: place).elements
        case .merge(let sources):
            return Observable.merge(
                sources.enumerated().map { open($1, place: "\(place).\($0 + 1)", scope: scope) })
        case .combineLatest(let sources):
            let newest = sources.map { Cell(scope, "\(place).\(StateName.ascii($0.name))/latest", StreamElement?.none) }
            let parts = zip(sources, newest).map { source, newest in
                latest(open(source.source, place: "\(place).\(source.name)", scope: scope), newest)
            }
            let combinations = Observable.combineLatest(parts) { combined(sources.map(\.name), $0) }
            // The combination of the values that an earlier run had was emitted by it.
            return newest.allSatisfy { $0.value != nil } ? combinations.skip(1) : combinations
        case .zip(let sources):
            let queues = sources.map {
                ElementQueue(scope, "\(place).\(StateName.ascii($0.name))/waiting", StepCounter())
            }
            let parts = zip(sources, queues).map { source, queue in
                waiting(open(source.source, place: "\(place).\(source.name)", scope: scope), queue, place)
            }
            return Observable.zip(parts) { elements in
                for queue in queues { queue.takeFirst() }
                return combined(sources.map(\.name), elements)
            }
        }
    }

    /// Creates the ports of a source, unless they are there.
    func declare(_ source: SourceDefinition, place: String) {
        switch source {
        case .external, .stream: _ = port(source, place: place)
        case .merge(let sources):
            for (index, source) in sources.enumerated() { declare(source, place: "\(place).\(index + 1)") }
        case .combineLatest(let sources), .zip(let sources):
            for source in sources { declare(source.source, place: "\(place).\(source.name)") }
        }
    }

    /// The port at a place: all groups of a step share it.
    private func port(_ source: SourceDefinition, place: String) -> SourcePort {
        if let port = portsByPlace[place] { return port }
        let port = SourcePort(source, place: place, place == "0" ? counter("0") : StepCounter())
        portsByPlace[place] = port
        ports.append(port)
        return port
    }

    /// A source of `combineLatest`, which begins with the value that an earlier run had.
    private func latest(
        _ source: Observable<StreamElement>, _ newest: Cell<StreamElement?>
    ) -> Observable<StreamElement> {
        let elements = source.do(onNext: { newest.value = $0 })
        return newest.value.map { elements.startWith($0) } ?? elements
    }

    /// A source of `zip`, whose elements wait for those of the others; of more than fit, the new ones are dropped.
    private func waiting(
        _ source: Observable<StreamElement>, _ queue: ElementQueue, _ place: String
    ) -> Observable<StreamElement> {
        let restored = queue.elements
        let elements = source.filter { [unowned self] element in
            guard !queue.isFull else {
                environment.report(lost: 1, step: place, in: self)
                return false
            }
            queue.append(element, due: element.time)
            return true
        }
        return Observable.concat(Observable.from(restored), elements)
    }
}

/// The element that several elements make together. It is as new as the newest one.
private func combined(_ names: [String], _ elements: [StreamElement]) -> StreamElement {
    var writer = JSONWriter()
    writer.object { writer in
        for (name, element) in zip(names, elements) {
            writer.key(name)
            writer.raw(element.value)
        }
    }
    let newest = elements.max { $0.time < $1.time }
    return StreamElement(
        value: RawJSON(unchecked: writer.bytes), time: newest?.time ?? .beginning, origin: newest?.origin)
}

/// Results of a program for the elements that are on their way to its step.
struct KnownResults {
    var results: [ProgramResult]
    var next = 0
}
