extension ObservableType {
    /// Subscribes again after an error when the sequence that `notificationHandler` returns for the errors emits an
    /// element.
    ///
    /// That sequence is created and subscribed to once, before the source. It receives each error after the failed
    /// attempt is disposed; its next element starts a new attempt. Elements at other times are ignored. When it ends,
    /// the result ends in the same way, but an attempt under way continues until it fails. An error that is not of type
    /// `Error` ends the sequence.
    ///
    /// ```
    /// source                                        --1--#
    /// trigger                                            ---t
    /// source, again                                         --1--2--|
    /// retry(when: { $0.flatMap { _ in trigger } })  --1-------1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func retry<TriggerObservable: ObservableType, Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(asObservable()) { notificationHandler($0).asObservable() }
    }

    /// Subscribes again after an error of any type when the sequence that `notificationHandler` returns for the errors
    /// emits an element. The rules are those of the overload for one error type.
    ///
    /// ```
    /// source                                        --1--#
    /// trigger                                            ---t
    /// source, again                                         --1--2--|
    /// retry(when: { $0.flatMap { _ in trigger } })  --1-------1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(asObservable()) { notificationHandler($0).asObservable() }
    }
}

private final class RetryWhen<Element: RxSendable, Failure: RxSendable, Trigger: RxSendable>: Producer<Element>,
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

/// One attempt after another, without a limit; each new one waits for a trigger.
private final class Attempts<Element: RxSendable, Failure: RxSendable>: Succession<Element>, @unchecked Sendable {
    // Unchecked: `lock` guards `phase`; see `Succession`.
    private enum Phase {
        /// An attempt is under way.
        case trying
        /// The attempt has failed and waits for a trigger.
        case waiting
        /// No trigger will come. The next failure ends the sequence with this error, or completes it.
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

private final class AttemptSink<Element: RxSendable, Failure: RxSendable>: Valve<Element, Element>, @unchecked Sendable
{
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
        // Before the error is passed on, so that this attempt no longer holds anything.
        dispose()
        attempts.failed(error)
    }
}

private final class TriggerSink<Element: RxSendable, Failure: RxSendable, Trigger: RxSendable>: Sink<Trigger>,
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
