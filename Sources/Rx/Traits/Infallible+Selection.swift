// Which elements pass; see the operators of `ObservableType`.

extension InfallibleType {
    /// The first `count` elements, then the end.
    ///
    /// ```
    /// source   --1--2--3--|
    /// take(2)  --1--2|
    /// ```
    public func take(_ count: Int) -> Infallible<Element> { Infallible(asObservable().take(count)) }

    /// The elements of the first `duration`, then the end.
    ///
    /// ```
    /// source       --1--2--3--|
    /// take(for: 6) --1--2|
    /// ```
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// The elements until `other` has one, then the end.
    ///
    /// ```
    /// source             --1--2--3--
    /// other              ------a
    /// take(until: other) --1--2|
    /// ```
    public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// The elements until `other` has one, then the end. An error of `other` does not pass: it is as if `other` completed.
    ///
    /// ```
    /// source             --1--2--3--
    /// other              ------a
    /// take(until: other) --1--2|
    /// ```
    public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable().catch { _ in .empty() }))
    }

    /// The elements until one satisfies `predicate`, then the end. That one passes when `behavior` is inclusive.
    ///
    /// ```
    /// source                 --1--2--3--
    /// take(until: { $0==2 }) --1--|
    /// … .inclusive           --1--2|
    /// ```
    public func take(
        until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// The elements while they satisfy `predicate`, then the end. The first that does not passes when `behavior` is inclusive.
    ///
    /// ```
    /// source                 --1--2--3--
    /// take(while: { $0<2 })  --1--|
    /// … .inclusive           --1--2|
    /// ```
    public func take(
        while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// The elements after the first `count`.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(2)  --------3--|
    /// ```
    public func skip(_ count: Int) -> Infallible<Element> { Infallible(asObservable().skip(count)) }

    /// The elements from the first on that does not satisfy `predicate`.
    ///
    /// ```
    /// source                 --1--2--1--|
    /// skip(while: { $0<2 })  -----2--1--|
    /// ```
    public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// The elements after `other` has had one. An error of `other` does not pass: it is as if `other` completed.
    ///
    /// ```
    /// source             --1--2--3--
    /// other              ------a
    /// skip(until: other) --------3--
    /// ```
    public func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable().catch { _ in .empty() }))
    }

    /// The elements that differ, as `comparer` tells, from the one before.
    ///
    /// ```
    /// source                                   --1--2--3--|
    /// distinctUntilChanged { $0/2 == $1/2 }    --1--2-----|
    /// ```
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// The elements whose key differs from that of the one before.
    ///
    /// ```
    /// source                         --1--2--3--|
    /// distinctUntilChanged { $0/2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: Equatable & Sendable>(
        _ keySelector: @escaping @Sendable (Element) -> Key
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// The elements whose key differs, as `comparer` tells, from that of the one before.
    ///
    /// ```
    /// source                                        --1--2--3--|
    /// distinctUntilChanged({ $0/2 }, comparer: ==)  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: Sendable>(
        _ keySelector: @escaping @Sendable (Element) -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// The elements whose property at `keyPath` differs from that of the one before.
    ///
    /// ```
    /// source                             --"a"--"b"--"cc"--|
    /// distinctUntilChanged(at: \.count)  --"a"-------"cc"--|
    /// ```
    public func distinctUntilChanged<Property: Equatable & Sendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: keyPath))
    }
}

extension InfallibleType where Element: Equatable {
    /// The elements that differ from the one before.
    ///
    /// ```
    /// source                 --1--1--2--1--|
    /// distinctUntilChanged() --1-----2--1--|
    /// ```
    public func distinctUntilChanged() -> Infallible<Element> { Infallible(asObservable().distinctUntilChanged()) }
}
