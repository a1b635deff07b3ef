internal import Rx

/// Where the elements of one source enter a chain.
// Unchecked: belongs to the stream's turn, but for what is immutable.
public final class SourcePort: @unchecked Sendable {
    /// The source.
    public let source: SourceDefinition
    /// The place in the stream: `0`, or that of the step that reads the source.
    public let place: String
    /// Whether it belongs to the source of the stream, and not to that of a step.
    public var isOfSource: Bool { place == "0" || place.hasPrefix("0.") }
    private let counter: StepCounter
    private let subject = PublishSubject<StreamElement>()
    /// The newest element of a level, for groups that begin later.
    private var current: StreamElement?
    private let isLevel: Bool

    init(_ source: SourceDefinition, place: String, _ counter: StepCounter) {
        self.source = source
        self.place = place
        self.counter = counter
        isLevel = source.isLevel { _ in false }
    }

    var elements: Observable<StreamElement> {
        guard isLevel else { return subject.asObservable() }
        return Observable.deferred { [self] in current.map { subject.startWith($0) } ?? subject.asObservable() }
    }

    /// Has the chain process an element, in the stream's turn.
    public func send(_ element: StreamElement) {
        counter.emitted += 1
        if let tap = counter.tap { tap(element) }
        if isLevel { current = element }
        subject.onNext(element)
    }

    /// Ends the source, in the stream's turn.
    public func finish() { subject.onCompleted() }
}
