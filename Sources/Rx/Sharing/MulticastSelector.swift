extension ObservableType {
    /// Mirrors the sequence that `selector` returns. `selector` can use its argument several times although the source
    /// is subscribed to once, through a subject created for each subscriber. An error that a closure throws ends that
    /// subscriber's sequence.
    ///
    /// ```
    /// source                                                              --1--2----3--|
    /// multicast({ PublishSubject() }) { Observable.zip($0, $0.skip(1)) }  -----1,2--2,3|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func multicast<Subject: SubjectType, Result: RxSendable>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        MulticastSelector(asObservable(), subjectSelector, selector)
    }
}

private final class MulticastSelector<Input: RxSendable, Subject: SubjectType, Result: RxSendable>: Producer<Result>,
    @unchecked Sendable
where Subject.Observer.Element == Input {
    // Unchecked: see `Observable`.
    let source: Observable<Input>
    let subjectSelector: @Sendable () throws -> Subject
    let selector: @Sendable (Observable<Subject.Element>) throws -> Observable<Result>

    init(
        _ source: Observable<Input>, _ subjectSelector: @escaping @Sendable () throws -> Subject,
        _ selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) {
        self.source = source
        self.subjectSelector = subjectSelector
        self.selector = selector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        let connectable: Multicast<Input, Subject>
        let selected: Observable<Result>
        do {
            let subject = try subjectSelector()
            connectable = Multicast(source) { subject }
            selected = try selector(connectable)
        } catch {
            return stage.error(error)
        }
        let sink = MulticastSelectorSink(stage)
        stage.attach(sink)
        selected.run(sink)
        if sink.isOpen { sink.connection.setDisposable(connectable.connect()) }
    }
}

private final class MulticastSelectorSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    let connection = SingleAssignmentDisposable()

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func closed() { connection.dispose() }
}
