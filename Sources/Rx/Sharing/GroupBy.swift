extension ObservableType {
    /// The elements sorted into groups by a key, each group a sequence that is handed on when its key first appears.
    ///
    /// The source stays subscribed while this sequence or any of its groups is. What `keySelector` throws is the error of
    /// all groups and then of this sequence, as is an error of the source.
    ///
    /// ```
    /// source                   --1--2--3--4--|
    /// groupBy { $0.isMultiple(of: 2) }
    ///                          --a--b--------|
    ///   a (false)              --1-----3-----|
    ///   b (true)                 ---2-----4--|
    /// ```
    @inlinable
    public func groupBy<Key: Hashable & Sendable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        GroupBy(asObservable(), keySelector)
    }
}

/// The elements that share a key.
public struct GroupedObservable<Key: Sendable, Element: Sendable>: ObservableType {
    public let key: Key
    private let source: Observable<Element>

    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }

    public func asObservable() -> Observable<Element> { source }
}

@usableFromInline
final class GroupBy<Key: Hashable & Sendable, Element: Sendable>: Producer<GroupedObservable<Key, Element>>,
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

private final class GroupBySink<Key: Hashable & Sendable, Element: Sendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; `groups`, `inOrder` and `isOver` are touched by the calls of the source only.
    private let downstream: Stage<GroupedObservable<Key, Element>>
    private let keySelector: @Sendable (Element) throws -> Key
    private let upstream = SingleAssignmentDisposable()
    /// The outer subscriber, as the one that disposes it, and those of the groups, who retain it.
    let users: RefCountDisposable
    @exclusivity(unchecked) private var groups: [Key: PublishSubject<Element>] = [:]
    /// In the order of their keys' first appearance, in which they end.
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

    /// Nil for a key that is new when no one is there any more to be handed its group.
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

private final class Group<Element: Sendable>: Producer<Element>, @unchecked Sendable {
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

private final class GroupSink<Element: Sendable>: Valve<Element, Element>, @unchecked Sendable {
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
