/// When to dispose a source that has ended.
enum EndOrder {
    /// Before its end is sent: `multicast` and the operators based on it.
    case disposeFirst
    /// After its end is sent, as operators do: `share`.
    case deliverFirst
}

/// A generation that distributes through a subject.
///
/// No lock is held while the subject is created, subscribed to, or fed. A caller that needs the subject while it is
/// being created, on another thread or nested on this one, leaves its request to the creator.
final class MulticastGeneration<Input: RxSendable, Subject: SubjectType>: Generation, @unchecked Sendable
where Subject.Observer.Element == Input {
    // Unchecked: `lock` guards `state` and `source`.
    private enum State {
        case unmade(@Sendable () -> Subject)
        case making([@Sendable (Subject) -> Void])
        case made(Subject)
    }

    let connection: Connection
    private let endOrder: EndOrder
    private let lock = Lock()
    private var state: State
    private var source: Observable<Input>?

    init(
        _ owner: any Owner, _ source: Observable<Input>, _ endOrder: EndOrder,
        _ makeSubject: @escaping @Sendable () -> Subject
    ) {
        connection = Connection(owner: owner)
        self.source = source
        self.endOrder = endOrder
        state = .unmade(makeSubject)
    }

    func join(_ stage: Stage<Subject.Element>) {
        withSubject { $0.asObservable().subscribe(into: stage) }
    }

    func connect() {
        let source = lock.withLock {
            defer { self.source = nil }
            return self.source
        }
        guard let source else { return }
        withSubject { [connection, endOrder] subject in
            if connection.isDisposed { return }
            source.subscribe(into: MulticastFeed(AnyObserver(subject.asObserver()).stage, connection, endOrder))
        }
    }

    private func withSubject(_ body: @escaping @Sendable (Subject) -> Void) {
        lock.lock()
        switch state {
        case .made(let subject):
            lock.unlock()
            body(subject)
        case .making(let waiting):
            state = .making(waiting + [body])
            lock.unlock()
        case .unmade(let makeSubject):
            state = .making([])
            lock.unlock()
            let subject = makeSubject()
            let waiting = lock.withLock { () -> [@Sendable (Subject) -> Void] in
                defer { state = .made(subject) }
                switch state {
                case .making(let waiting): return waiting
                case .unmade, .made: return []
                }
            }
            body(subject)
            for body in waiting { body(subject) }
        }
    }
}

/// The observer of the source.
private final class MulticastFeed<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let subject: Stage<Element>
    private let connection: Connection
    private let endOrder: EndOrder

    init(_ subject: Stage<Element>, _ connection: Connection, _ endOrder: EndOrder) {
        self.subject = subject
        self.connection = connection
        self.endOrder = endOrder
        super.init()
    }

    override func attach(_ upstream: DisposeBase) { connection.attach(upstream) }

    override func next(_ element: Element) {
        if connection.isDisposed { return }
        subject.next(element)
    }

    override func error(_ error: any Error) { end { $0.error(error) } }

    override func completed() { end { $0.completed() } }

    private func end(_ deliver: (Stage<Element>) -> Void) {
        guard let closed = connection.close() else { return }
        switch endOrder {
        case .disposeFirst:
            closed.finish()
            deliver(subject)
        case .deliverFirst:
            closed.forget()
            deliver(subject)
            closed.upstream?.dispose()
        }
    }
}
