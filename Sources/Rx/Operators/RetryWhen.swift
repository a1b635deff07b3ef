extension ObservableType {
    /// Subscribes again when the sequence that `notificationHandler` makes of the errors has an element.
    ///
    /// That sequence is made and subscribed once, before the source. Each error is handed to it after the failed attempt
    /// was disposed, and its next element then begins a new attempt; elements that come at other times are ignored. When
    /// it ends, the result ends in the same way, with the attempt under way going on until it fails. An error that is
    /// not an `Error` of the type asked for is handed on.
    ///
    /// ```
    /// source             --1--x
    /// again                      --1--2--|
    /// errors → triggers       x--t
    /// retry(when:)       --1-------1--2--|
    /// ```
    public func retry<TriggerObservable: ObservableType, Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(asObservable()) { notificationHandler($0).asObservable() }
    }

    /// As the other form, for errors of all types.
    public func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(asObservable()) { notificationHandler($0).asObservable() }
    }
}

private final class RetryWhen<Element: Sendable, Failure: Sendable, Trigger: Sendable>: Producer<Element>,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let handler: @Sendable (Observable<Failure>) -> Observable<Trigger>

    init(_ source: Observable<Element>, _ handler: @escaping @Sendable (Observable<Failure>) -> Observable<Trigger>) {
        self.source = source
        self.handler = handler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let errors = PublishSubject<Failure>()
        let attempts = Attempts(stage, source, errors)
        let triggers = TriggerSink<Element, Failure, Trigger>(attempts)
        attempts.triggers.setDisposable(triggers)
        stage.attach(attempts)
        handler(errors).run(triggers)
        attempts.advance()
    }
}

/// One attempt after the other. There is no end of them, but each waits for a trigger.
private final class Attempts<Element: Sendable, Failure: Sendable>: Succession<Element>, @unchecked Sendable {
    // Unchecked: `phase` is guarded by `lock`; see `Succession`.
    private enum Phase {
        /// An attempt is under way.
        case trying
        /// It has failed; a trigger is waited for.
        case waiting
        /// No trigger will come: the next failure ends it, with this error or well.
        case triggersEnded((any Error)?)
    }

    private enum Step {
        case ask
        case end((any Error)?)
    }

    let triggers = SingleAssignmentDisposable()
    private let errors: PublishSubject<Failure>
    private let lock = Lock()
    private var phase = Phase.trying

    init(_ downstream: Stage<Element>, _ source: Observable<Element>, _ errors: PublishSubject<Failure>) {
        self.errors = errors
        super.init(downstream, SequenceSuccessors(Endless(source: source)))
    }

    override func dispose() {
        super.dispose()
        triggers.dispose()
    }

    override func makeSink() -> Sink<Element> { AttemptSink(downstream, self) }

    func failed(_ error: any Error) {
        guard let failure = error as? Failure else { return downstream.error(error) }
        let step = lock.withLock { () -> Step in
            switch phase {
            case .trying, .waiting:
                phase = .waiting
                return .ask
            case .triggersEnded(let error):
                return .end(error)
            }
        }
        switch step {
        case .ask: errors.onNext(failure)
        case .end(let error): end(error)
        }
    }

    func triggered() {
        let begins = lock.withLock {
            switch phase {
            case .waiting:
                phase = .trying
                return true
            case .trying, .triggersEnded:
                return false
            }
        }
        if begins { advance() }
    }

    func triggersEnded(_ error: (any Error)?) {
        let isWaitedFor = lock.withLock {
            defer { phase = .triggersEnded(error) }
            switch phase {
            case .waiting: return true
            case .trying, .triggersEnded: return false
            }
        }
        if isWaitedFor { end(error) }
    }

    private func end(_ error: (any Error)?) {
        if let error { downstream.error(error) } else { downstream.completed() }
    }
}

private final class AttemptSink<Element: Sendable, Failure: Sendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let attempts: Attempts<Element, Failure>

    init(_ downstream: Stage<Element>, _ attempts: Attempts<Element, Failure>) {
        self.attempts = attempts
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func failed(_ error: any Error) {
        // Before the error is told: by then this attempt holds nothing any more.
        dispose()
        attempts.failed(error)
    }
}

private final class TriggerSink<Element: Sendable, Failure: Sendable, Trigger: Sendable>: Sink<Trigger>,
    @unchecked Sendable
{
    // Unchecked: see `Stage`.
    private let attempts: Attempts<Element, Failure>

    init(_ attempts: Attempts<Element, Failure>) {
        self.attempts = attempts
        super.init()
    }

    override func next(_ element: Trigger) {
        guard isOpen else { return }
        attempts.triggered()
    }

    override func failed(_ error: any Error) { attempts.triggersEnded(error) }
    override func finished() { attempts.triggersEnded(nil) }
}
