extension ObservableType {
    /// A connectable that hands the elements on through `subject`: subscribers subscribe to the subject, and `connect()`
    /// subscribes the subject to the sequence. It is the same subject for each connection, also one that has ended.
    ///
    /// ```
    /// source              --1--2--3--|
    /// connect               ^
    /// subscriber            -1--2--3--|
    /// a later one                 -3--|
    /// ```
    public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        Multicast(asObservable()) { subject }
    }

    /// As `multicast(_:)` with a subject for each connection, made when the first subscriber or `connect()` needs it.
    ///
    /// A connection is over when the sequence has ended or it was disposed; who comes later gets a new subject, and the
    /// next `connect()` a new connection.
    ///
    /// ```
    /// source              --1--2--|           source, again  --1--2--|
    /// connect             ^                   connect        ^
    /// subscriber          --1--2--|           subscriber     --1--2--|
    /// ```
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        Multicast(asObservable(), .disposeFirst, makeSubject)
    }

    /// A connectable that hands the elements to the subscribers of the moment.
    ///
    /// ```
    /// source              --1--2--3--|
    /// publish, connect      ^
    /// subscriber            -1--2--3--|
    /// a later one                 -3--|
    /// ```
    public func publish() -> ConnectableObservable<Element> {
        Multicast(asObservable()) { PublishSubject() }
    }

    /// A connectable that gives new subscribers the latest `bufferSize` elements first.
    ///
    /// ```
    /// source              --1--2--3--|
    /// replay(2), connect  ^
    /// a later subscriber        (12)-3--|
    /// ```
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        precondition(bufferSize >= 0, "a buffer size is not negative")
        return Multicast(asObservable()) { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// A connectable that gives new subscribers all elements of the connection first: what it keeps grows with each.
    ///
    /// ```
    /// source                --1--2--3--|
    /// replayAll, connect    ^
    /// a later subscriber            (12)-3--|
    /// ```
    public func replayAll() -> ConnectableObservable<Element> {
        Multicast(asObservable()) { ReplaySubject.createUnbounded() }
    }
}

final class Multicast<Input: Sendable, Subject: SubjectType>: ConnectableObservable<Subject.Element>, Owner, Traced,
    @unchecked Sendable
where Subject.Observer.Element == Input {
    // Unchecked: see `Observable`; `current` is guarded by `lock`.
    let source: Observable<Input>
    private let makeSubject: @Sendable () -> Subject
    private let endOrder: EndOrder
    private let lock = Lock()
    private var current: MulticastGeneration<Input, Subject>?

    init(
        _ source: Observable<Input>, _ endOrder: EndOrder = .disposeFirst,
        _ makeSubject: @escaping @Sendable () -> Subject
    ) {
        self.source = source
        self.endOrder = endOrder
        self.makeSubject = makeSubject
        super.init()
    }

    var tracedName: String { "multicast" }
    var tracedSources: [any AnyObservable] { [source] }
    var tracedPlace: String? { nil }

    override func generation() -> any Generation<Subject.Element> { currentGeneration() }

    override func connect() -> any Disposable {
        let generation = currentGeneration()
        generation.connect()
        return generation.connection
    }

    override func run(_ stage: Stage<Subject.Element>) { currentGeneration().join(stage) }

    private func currentGeneration() -> MulticastGeneration<Input, Subject> {
        lock.lock()
        if let current, !current.connection.isDisposed {
            lock.unlock()
            return current
        }
        let over = current
        let made = MulticastGeneration(self, source, endOrder, makeSubject)
        current = made
        lock.unlock()
        return withExtendedLifetime(over) { made }
    }

    func forget(_ connection: AnyObject) {
        // Released outside of the lock, with the elements and subscribers that its subject may hold.
        let gone = lock.withLock { () -> MulticastGeneration<Input, Subject>? in
            guard let current, current.connection === connection else { return nil }
            defer { self.current = nil }
            return current
        }
        withExtendedLifetime(gone) {}
    }
}
