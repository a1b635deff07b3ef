extension ObservableType {
    /// A connectable that distributes the elements through `subject`. Subscribers subscribe to the subject, and
    /// `connect()` subscribes the subject to the sequence. All connections use the same subject, even if it has ended.
    ///
    /// ```
    /// source       --1--2--3--|
    /// multicast(PublishSubject())
    ///   connect    ^
    ///   first    ^---1--2--3--|
    ///   later         ^-2--3--|
    /// ```
    public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        Multicast(asObservable()) { subject }
    }

    /// A connectable that creates a subject for each connection, when the first subscriber or `connect()` needs it.
    ///
    /// A connection ends when the sequence ends or the connection is disposed. Later subscribers get a new subject, and
    /// the next `connect()` makes a new connection.
    ///
    /// ```
    /// source          -1--2--|
    /// source, again            -1--2--|
    /// multicast { PublishSubject() }
    ///   connect       ^        ^
    ///   first        ^-1--2--|
    ///   later                 ^-1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        Multicast(asObservable(), .disposeFirst, makeSubject)
    }

    /// A connectable that emits elements to its current subscribers.
    ///
    /// ```
    /// source       --1--2--3--|
    /// publish()
    ///   connect    ^
    ///   first    ^---1--2--3--|
    ///   later         ^-2--3--|
    /// ```
    public func publish() -> ConnectableObservable<Element> {
        Multicast(asObservable()) { PublishSubject() }
    }

    /// A connectable that first emits the latest `bufferSize` elements to a new subscriber.
    ///
    /// ```
    /// source      -1-2-3---------4--|
    /// replay(2)
    ///   connect   ^
    ///   first    ^-1-2-3---------4--|
    ///   later            (^2 3)--4--|
    /// ```
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        precondition(bufferSize >= 0, "a buffer size is not negative")
        return Multicast(asObservable()) { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// A connectable that first emits all elements of the connection to a new subscriber; its memory grows with each
    /// element.
    ///
    /// ```
    /// source      -1-2-3----------4--|
    /// replayAll()
    ///   connect   ^
    ///   first    ^-1-2-3----------4--|
    ///   later            (^1 2 3)-4--|
    /// ```
    public func replayAll() -> ConnectableObservable<Element> {
        Multicast(asObservable()) { ReplaySubject.createUnbounded() }
    }
}

final class Multicast<Input: RxSendable, Subject: SubjectType>: ConnectableObservable<Subject.Element>, Owner, Traced,
    @unchecked Sendable
where Subject.Observer.Element == Input {
    // Unchecked: see `Observable`; `lock` guards `current`.
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
        // Released outside the lock, with the elements and subscribers that its subject may hold.
        let gone = lock.withLock { () -> MulticastGeneration<Input, Subject>? in
            guard let current, current.connection === connection else { return nil }
            defer { self.current = nil }
            return current
        }
        withExtendedLifetime(gone) {}
    }
}
