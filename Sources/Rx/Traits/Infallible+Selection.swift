// Operators that select elements; they correspond to those of `ObservableType`.

extension InfallibleType {
    /// Emits the first `count` elements, then completes.
    ///
    /// ```
    /// source   --1--2--3--|
    /// take(2)  --1--(2|)
    /// ```
    public func take(_ count: Int) -> Infallible<Element> { Infallible(asObservable().take(count)) }

    /// Emits the elements of the first `duration`, then completes.
    ///
    /// ```
    /// source        --1--2--3--|
    /// take(for: 6)  --1--2|
    /// ```
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// Emits elements until `other` emits one, then completes.
    ///
    /// ```
    /// source              --1--2--3--
    /// other               -------5-
    /// take(until: other)  --1--2-|
    /// ```
    public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// Emits elements until `other` emits one, then completes. An error of `other` counts as its completion.
    ///
    /// ```
    /// source                   --1--2--3--
    /// observable               -------5-
    /// take(until: observable)  --1--2-|
    /// ```
    public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable().catch { _ in .empty() }))
    }

    /// Emits elements until `predicate` holds, then completes. An inclusive `behavior` emits that element as well.
    ///
    /// ```
    /// source                                          --1--2--3--
    /// take(until: { $0 == 2 })                        --1--|
    /// take(until: { $0 == 2 }, behavior: .inclusive)  --1--(2|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func take(
        until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// Emits elements while `predicate` holds, then completes. An inclusive `behavior` emits the first element for
    /// which it does not hold as well.
    ///
    /// ```
    /// source                                         --1--2--3--
    /// take(while: { $0 < 2 })                        --1--|
    /// take(while: { $0 < 2 }, behavior: .inclusive)  --1--(2|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func take(
        while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// Drops the first `count` elements.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(2)  --------3--|
    /// ```
    public func skip(_ count: Int) -> Infallible<Element> { Infallible(asObservable().skip(count)) }

    /// Drops elements while `predicate` holds and emits all later ones.
    ///
    /// ```
    /// source                   --1--2--1--|
    /// skip(while: { $0 < 2 })  -----2--1--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// Drops elements until `other` emits one. An error of `other` counts as its completion.
    ///
    /// ```
    /// source              --1--2--3--
    /// other               ------5--
    /// skip(until: other)  --------3--
    /// ```
    public func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable().catch { _ in .empty() }))
    }

    /// Drops elements that `comparer` considers equal to the last emitted one.
    ///
    /// ```
    /// source                                     --1--2--3--|
    /// distinctUntilChanged { $0 / 2 == $1 / 2 }  --1--2-----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// Drops elements whose key equals that of the last emitted one.
    ///
    /// ```
    /// source                           --1--2--3--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping @Sendable (Element) -> Key
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// Drops elements whose key `comparer` considers equal to that of the last emitted one.
    ///
    /// ```
    /// source                                          --1--2--3--|
    /// distinctUntilChanged({ $0 / 2 }, comparer: ==)  --1--2-----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func distinctUntilChanged<Key: RxSendable>(
        _ keySelector: @escaping @Sendable (Element) -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
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
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: keyPath))
    }
}

extension InfallibleType where Element: Equatable {
    /// Drops elements that equal the last emitted one.
    ///
    /// ```
    /// source                  --1--1--2--1--|
    /// distinctUntilChanged()  --1-----2--1--|
    /// ```
    public func distinctUntilChanged() -> Infallible<Element> { Infallible(asObservable().distinctUntilChanged()) }
}
