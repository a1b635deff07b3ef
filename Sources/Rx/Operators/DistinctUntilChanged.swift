extension ObservableType {
    /// Drops elements that `comparer` considers equal to the last emitted one. An error that a closure throws ends the
    /// sequence.
    ///
    /// ```
    /// source                                --1--2--4--5--|
    /// distinctUntilChanged { $1 - $0 < 2 }  --1-----4-----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ previous: Element, _ current: Element) throws -> Bool
    ) -> Observable<Element> {
        DistinctUntilChanged(asObservable(), { $0 }, comparer)
    }

    /// Drops elements whose key equals that of the last emitted one. An error that `keySelector` throws ends the
    /// sequence.
    ///
    /// ```
    /// source                           --1--2--3--4--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----4--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<Element> {
        DistinctUntilChanged(asObservable(), keySelector, { $0 == $1 })
    }

    /// Drops elements whose key `comparer` considers equal to that of the last emitted one. An error that a closure
    /// throws ends the sequence.
    ///
    /// ```
    /// source                                                   --a--A--b--|
    /// distinctUntilChanged({ $0.lowercased() }, comparer: ==)  --a-----b--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func distinctUntilChanged<Key: RxSendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ previous: Key, _ current: Key) throws -> Bool
    ) -> Observable<Element> {
        DistinctUntilChanged(asObservable(), keySelector, comparer)
    }

    /// Drops elements whose property at `keyPath` equals that of the last emitted one.
    ///
    /// ```
    /// source                             --a----b----cc---|
    /// distinctUntilChanged(at: \.count)  --a---------cc---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func distinctUntilChanged<Property: Equatable & RxSendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> Observable<Element> {
        distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
    }
}

extension ObservableType where Element: Equatable {
    /// Drops elements that equal the last emitted one.
    ///
    /// ```
    /// source                  --1--1--2--2--1--|
    /// distinctUntilChanged()  --1-----2-----1--|
    /// ```
    @inlinable
    public func distinctUntilChanged() -> Observable<Element> {
        DistinctUntilChanged(asObservable(), { $0 }, { $0 == $1 })
    }
}

@usableFromInline
final class DistinctUntilChanged<Element: RxSendable, Key: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let keySelector: @Sendable (Element) throws -> Key
    let comparer: @Sendable (Key, Key) throws -> Bool

    @usableFromInline
    init(
        _ source: Observable<Element>, _ keySelector: @escaping @Sendable (Element) throws -> Key,
        _ comparer: @escaping @Sendable (Key, Key) throws -> Bool
    ) {
        self.source = source
        self.keySelector = keySelector
        self.comparer = comparer
        super.init()
    }

    override func run(_ stage: Stage<Element>) { source.run(DistinctStage(stage, self)) }
}

private final class DistinctStage<Element: RxSendable, Key: RxSendable>: Pass<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let keySelector: @Sendable (Element) throws -> Key
    private let comparer: @Sendable (Key, Key) throws -> Bool
    private var previous: Key?

    init(_ downstream: Stage<Element>, _ parent: DistinctUntilChanged<Element, Key>) {
        self.keySelector = parent.keySelector
        self.comparer = parent.comparer
        super.init(downstream)
    }

    override func next(_ element: Element) {
        do {
            let key = try keySelector(element)
            if let previous, try comparer(previous, key) { return }
            previous = key
        } catch {
            return downstream.error(error)
        }
        downstream.next(element)
    }
}
