import Rx
import RxTest
import RxTraits

/// Replays a call of a diagram: gives its inputs as sequences, and records what its results emit.
final class MarbleStage: @unchecked Sendable {
    // Unchecked: everything happens on the thread of the virtual scheduler.
    let scheduler = TestScheduler(initialClock: 0)
    private let marbles: DocumentedMarbles
    private let call: DocumentedMarbles.Call
    private var unused: Set<String>
    private var sources: [String: [TestableObservable<String>]] = [:]
    private var recorded: [String: [MarbleLine.Moment]] = [:]
    private var held: [any Disposable] = []
    private var faults: [String] = []

    init(_ marbles: DocumentedMarbles, _ call: DocumentedMarbles.Call) {
        self.marbles = marbles
        self.call = call
        unused = Set(marbles.inputs.map(\.label))
    }

    // Inputs

    /// A cold sequence of the elements of a line as text.
    func letters(_ label: String) -> Observable<String> {
        guard let line = input(label) else { return .empty() }
        let events = line.events.map { moment in
            Recorded(time: moment.frame - line.start, value: Self.event(moment.mark))
        }
        let source = scheduler.createColdObservable(events)
        sources[label, default: []].append(source)
        return source.asObservable()
    }

    /// A cold sequence of the numbers of a line.
    func ints(_ label: String) -> Observable<Int> { letters(label).map { try Int($0).orThrow($0) } }

    var source: Observable<Int> { ints("source") }
    var first: Observable<Int> { ints("first") }
    var second: Observable<Int> { ints("second") }
    var other: Observable<Int> { ints("other") }

    /// `source` for the first subscriber and `source, again` for the second.
    var again: Observable<Int> {
        let labels = BehaviorRelay(value: ["source", "source, again"])
        return .deferred {
            guard let label = labels.value.first else { return .never() }
            labels.accept(Array(labels.value.dropFirst()))
            return self.ints(label)
        }
    }

    func infallible(_ label: String) -> Infallible<Int> { ints(label).asInfallible(onErrorFallbackTo: .empty()) }
    func words(_ label: String) -> Infallible<String> { letters(label).asInfallible(onErrorJustReturn: "") }
    func signal(_ label: String) -> Signal<Int> { ints(label).asSignal(onErrorJustReturn: 0) }
    func texts(_ label: String) -> Signal<String> { letters(label).asSignal(onErrorJustReturn: "") }
    func single(_ label: String) -> Single<Int> { ints(label).asSingle() }
    func maybe(_ label: String) -> Maybe<Int> { ints(label).asMaybe() }
    func completable(_ label: String) -> Completable { ints(label).ignoreElements().asCompletable() }

    /// Calls `action` with the number at the time of each element of an input.
    func play(_ label: String, _ action: @escaping @Sendable (Int) -> Void) {
        for case (let frame, .element(let text)) in (input(label)?.moments ?? []).map({ ($0.frame, $0.mark) }) {
            scheduler.scheduleAt(zero + frame) { action(Int(text) ?? -1) }
        }
    }

    /// Calls `action` at the time of each such mark of an input or a line of the call.
    func at(_ mark: MarbleLine.Mark, _ label: String, _ action: @escaping @Sendable () -> Void) {
        let line = call.lines.first { $0.label == label } ?? input(label)
        recorded[label] = []
        for moment in line?.moments ?? [] where moment.mark == mark {
            scheduler.scheduleAt(zero + moment.frame) { action() }
        }
    }

    // Results

    /// Subscribes where the line of the call has `^`, or at frame 0.
    func result<Source: ObservableConvertibleType>(_ source: Source) { result(call.text, source) }

    /// Subscribes where the line has `^`, or at frame 0.
    func result<Source: ObservableConvertibleType>(_ label: String, _ source: Source) {
        guard let line = call.lines.first(where: { $0.label == label }) else {
            return faults.append("there is no line `\(label)`")
        }
        // A single or maybe succeeds with its element, even if its source completes later.
        let isTrait = source is any PrimitiveSequenceType
        let observable = isTrait ? source.asObservable().take(1) : source.asObservable()
        scheduler.scheduleAt(zero + (line.subscribed ?? 0)) { self.record(label, observable) }
    }

    /// Subscribes now.
    func record<Element>(_ label: String, _ source: Observable<Element>) {
        guard let line = call.lines.first(where: { $0.label == label }) else {
            return faults.append("there is no line `\(label)`")
        }
        if line.start != frame { faults.append("\(label): begins at frame \(frame), not at \(line.start)") }
        recorded[label] = []
        let subscription = source.subscribe { event in
            self.recorded[label, default: []].append(MarbleLine.Moment(event, at: self.frame))
        }
        held.append(subscription)
        scheduler.scheduleAt(zero + (line.disposed ?? marbles.width)) { subscription.dispose() }
    }

    // Comparison

    /// Runs the scheduler, and returns what differs from the diagram.
    func differences() -> [String] {
        scheduler.start()
        for disposable in held { disposable.dispose() }
        for line in call.lines {
            guard let actual = recorded[line.label] else {
                faults.append("nothing replays the line `\(line.label)`")
                continue
            }
            if line.subscribed != nil, line.events.isEmpty, actual.isEmpty { continue }
            if actual != line.events { faults.append("\(line.label): expected \(line.events), but it is \(actual)") }
        }
        for line in marbles.inputs {
            for source in sources[line.label]?.prefix(1) ?? [] {
                guard let subscription = source.subscriptions.first else {
                    faults.append("\(line.label): nothing subscribes to it")
                    continue
                }
                if subscription.subscribe - zero != line.start {
                    faults.append(
                        "\(line.label): begins at frame \(subscription.subscribe - zero), not at \(line.start)")
                }
                if let end = line.disposed, subscription.unsubscribe - zero != end {
                    faults.append("\(line.label): is disposed at \(subscription.unsubscribe - zero), not at \(end)")
                }
            }
        }
        if !unused.isEmpty { faults.append("inputs without a use: \(unused.sorted())") }
        return faults
    }

    private var zero: Int { TestScheduler.Defaults.subscribed }
    private var frame: Int { scheduler.clock - zero }

    private func input(_ label: String) -> MarbleLine? {
        guard let line = marbles.inputs.first(where: { $0.label == label }) else {
            faults.append("there is no input `\(label)`")
            return nil
        }
        unused.remove(label)
        return line
    }

    private static func event(_ mark: MarbleLine.Mark) -> Event<String> {
        switch mark {
        case .element(let text): .next(text)
        case .failed: .error(Oops())
        case .completed, .subscribed, .disposed: .completed
        }
    }
}

struct Oops: Error {}

extension Optional where Wrapped: Sendable {
    /// The value, or an error that names `text`.
    fileprivate func orThrow(_ text: String) throws -> Wrapped {
        guard let self else { throw MarbleFault("`\(text)` is not a number") }
        return self
    }
}
