internal import Rx

/// What a step does in one subscription.
struct StepActions {
    /// Takes an element, and emits what it makes of it.
    var next: (StreamElement, StepStage) -> Void
    /// Takes the end of the source, and finishes the output now or later; nil finishes it now.
    var completed: (() -> Void)?
    /// Releases what the step holds. Called once, when nothing is emitted any more.
    var dispose: (() -> Void)?

    init(
        next: @escaping (StreamElement, StepStage) -> Void, completed: (() -> Void)? = nil, dispose: (() -> Void)? = nil
    ) {
        self.next = next
        self.completed = completed
        self.dispose = dispose
    }
}

/// A step as a sequence: each subscription begins its actions anew.
// Unchecked: belongs to the stream's turn.
final class StepSequence: Producer<StreamElement>, @unchecked Sendable {
    private let source: Observable<StreamElement>
    let step: StepContext
    private let begin: (StepStage) -> StepActions

    init(_ source: Observable<StreamElement>, _ step: StepContext, _ begin: @escaping (StepStage) -> StepActions) {
        self.source = source
        self.step = step
        self.begin = begin
        super.init()
    }

    override func run(_ stage: Stage<StreamElement>) {
        let sink = StepStage(stage, step)
        stage.attach(sink)
        sink.start(begin(sink))
        // A step that has ended in an earlier run ends at once.
        if sink.isOpen { source.run(sink) }
    }
}

/// One subscription of a step: what its actions emit goes to the next step, and is counted.
///
/// It needs no atomics, unlike Rx's own stages: a stream belongs to one turn at a time.
// Unchecked: belongs to the stream's turn.
final class StepStage: Stage<StreamElement>, @unchecked Sendable {
    private let downstream: Stage<StreamElement>
    private let counter: StepCounter
    private let step: StepContext
    private let isInnerStream: Bool
    // Unchecked: of what a turn touches, it touches nothing twice at once.
    @exclusivity(unchecked) private var take: ((StreamElement, StepStage) -> Void)?
    private var actions: StepActions?
    private var upstream: DisposeBase?
    @exclusivity(unchecked) private var phase = Phase.open

    private enum Phase {
        case open
        /// The source has ended; the step may still emit.
        case ending
        case closed
    }

    init(_ downstream: Stage<StreamElement>, _ step: StepContext) {
        self.downstream = downstream
        self.step = step
        counter = step.counter
        isInnerStream = step.surroundings.isInnerStream
        super.init()
    }

    func start(_ actions: StepActions) {
        guard phase == .open else {
            actions.dispose?()
            return
        }
        self.actions = actions
        take = actions.next
    }

    var isOpen: Bool { phase == .open }

    // MARK: Output

    /// Emits an element.
    func emit(_ element: StreamElement) {
        guard phase != .closed else { return }
        counter.emitted += 1
        if let tap = counter.tap { tap(element) }
        downstream.next(element)
    }

    /// Ends the sequence.
    func finish() {
        guard phase != .closed else { return }
        close { $0.completed() }
    }

    /// Ends the sequence with a failure, for the executing step around it.
    func fail(_ error: any Error) {
        guard phase != .closed else { return }
        close { $0.error(error) }
    }

    // MARK: Input

    override func attach(_ upstream: DisposeBase) {
        if phase == .closed { upstream.dispose() } else { self.upstream = upstream }
    }

    override func next(_ element: StreamElement) {
        guard phase == .open, let take else { return }
        counter.taken += 1
        take(element, self)
        if isInnerStream, let failure = step.innerFailure {
            step.innerFailure = nil
            fail(failure)
        }
    }

    override func error(_ error: any Error) { fail(error) }

    override func completed() {
        guard phase == .open else { return }
        phase = .ending
        upstream = nil
        if let completed = actions?.completed { completed() } else { finish() }
    }

    override func dispose() { close { _ in } }

    private func close(_ end: (Stage<StreamElement>) -> Void) {
        guard phase != .closed else { return }
        phase = .closed
        let (upstream, actions) = (upstream, actions)
        self.upstream = nil
        self.actions = nil
        take = nil
        end(downstream)
        upstream?.dispose()
        actions?.dispose?()
    }
}
