extension ObservableType {
    /// Groups elements by a key. Emits each group, as a sequence, when its key first occurs.
    ///
    /// The source stays subscribed while this sequence or any group is. An error of the source or of `keySelector` ends
    /// all groups and then this sequence.
    ///
    /// ```
    /// source              --1--2--3--4--|
    /// groupBy { $0 % 2 }  --a--b--------|
    ///   a                   1-----3-----|
    ///   b                      2-----4--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func groupBy<Key: Hashable & RxSendable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        GroupBy(asObservable(), keySelector)
    }
}

/// The elements with one key.
public struct GroupedObservable<Key: RxSendable, Element: RxSendable>: ObservableType, Sendable {
    /// The key of the group.
    public let key: Key
    private let source: Observable<Element>

    /// Creates a group of the elements of `source`.
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    /// Subscribes `observer` to the elements of the group.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }

    /// The elements of the group.
    public func asObservable() -> Observable<Element> { source }
}

@usableFromInline
final class GroupBy<Key: Hashable & RxSendable, Element: RxSendable>: Producer<GroupedObservable<Key, Element>>,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let keySelector: @Sendable (Element) throws -> Key

    @usableFromInline
    init(_ source: Observable<Element>, _ keySelector: @escaping @Sendable (Element) throws -> Key) {
        self.source = source
        self.keySelector = keySelector
        super.init()
    }

    override func run(_ stage: Stage<GroupedObservable<Key, Element>>) {
        let sink = GroupBySink(stage, self)
        stage.attach(sink.users)
        source.run(sink)
    }
}

private final class GroupBySink<Key: Hashable & RxSendable, Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; only the source's calls touch `groups`, `inOrder`, and `isOver`.
    private let downstream: Stage<GroupedObservable<Key, Element>>
    private let keySelector: @Sendable (Element) throws -> Key
    private let upstream = SingleAssignmentDisposable()
    /// The subscribers: the outer one, which disposes it, and those of the groups, which retain it.
    let users: RefCountDisposable
    @exclusivity(unchecked) private var groups: [Key: PublishSubject<Element>] = [:]
    /// In the order in which their keys first occurred, which is also the order of their ends.
    private var inOrder: [PublishSubject<Element>] = []
    private var isOver = false

    init(_ downstream: Stage<GroupedObservable<Key, Element>>, _ parent: GroupBy<Key, Element>) {
        self.downstream = downstream
        self.keySelector = parent.keySelector
        users = RefCountDisposable(disposable: upstream)
        super.init()
    }

    override func attach(_ upstream: DisposeBase) { self.upstream.setDisposable(upstream) }

    override func next(_ element: Element) {
        if isOver || upstream.isDisposed { return }
        do {
            try group(keySelector(element))?.onNext(element)
        } catch {
            self.error(error)
        }
    }

    /// The group of a key; nil for a new key if nobody remains to receive its group.
    private func group(_ key: Key) -> PublishSubject<Element>? {
        if let known = groups[key] { return known }
        if users.isReleasedByOwner { return nil }
        let made = PublishSubject<Element>()
        groups[key] = made
        inOrder.append(made)
        downstream.next(GroupedObservable(key: key, source: Group(made, users)))
        return made
    }

    override func error(_ error: any Error) {
        end({ $0.onError(error) }) { $0.error(error) }
    }

    override func completed() {
        end({ $0.onCompleted() }) { $0.completed() }
    }

    private func end(
        _ endGroup: (PublishSubject<Element>) -> Void, _ endOuter: (Stage<GroupedObservable<Key, Element>>) -> Void
    ) {
        if isOver || upstream.isDisposed { return }
        isOver = true
        let all = inOrder
        groups = [:]
        inOrder = []
        for group in all { endGroup(group) }
        if !users.isReleasedByOwner { endOuter(downstream) }
        upstream.dispose()
    }
}

private final class Group<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    private let subject: PublishSubject<Element>
    private let users: RefCountDisposable

    init(_ subject: PublishSubject<Element>, _ users: RefCountDisposable) {
        self.subject = subject
        self.users = users
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = GroupSink(stage, users.retain())
        stage.attach(sink)
        if sink.isOpen { subject.run(sink) }
    }
}

private final class GroupSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let use: any Disposable

    init(_ downstream: Stage<Element>, _ use: any Disposable) {
        self.use = use
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func closed() { use.dispose() }
}
