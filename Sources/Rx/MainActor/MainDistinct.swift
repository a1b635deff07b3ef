extension MainObservable {
    /// Drops elements that `comparer`, called on the main thread with the last emitted element and the current one,
    /// considers equal. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                                --1--2--4--5--|
    /// distinctUntilChanged { $1 - $0 < 2 }  --1-----4-----|
    /// ```
    @inlinable
    public func distinctUntilChanged(
        _ comparer: @escaping ThrowingMainClosure<Element, Element, Bool>
    ) -> MainObservable<Element> {
        MainObservable(source.distinctUntilChanged(confinement.confine(throwing: comparer)), confinement)
    }

    /// Drops elements whose key equals that of the last emitted one. The closure is called on the main thread; an error
    /// that it throws ends the sequence.
    ///
    /// ```
    /// source                           --1--2--3--4--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----4--|
    /// ```
    @inlinable
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping ThrowingMainClosure<Element, Key>
    ) -> MainObservable<Element> {
        MainObservable(source.distinctUntilChanged(confinement.confine(throwing: keySelector)), confinement)
    }

    /// Drops elements whose key `comparer`, called with that of the last emitted element and the current one, considers
    /// equal. The closures are called on the main thread; an error that they throw ends the sequence.
    ///
    /// ```
    /// source                                                   --a--A--b--|
    /// distinctUntilChanged({ $0.lowercased() }, comparer: ==)  --a-----b--|
    /// ```
    @inlinable
    public func distinctUntilChanged<Key: RxSendable>(
        _ keySelector: @escaping ThrowingMainClosure<Element, Key>,
        comparer: @escaping ThrowingMainClosure<Key, Key, Bool>
    ) -> MainObservable<Element> {
        let main = confinement
        return MainObservable(
            source.distinctUntilChanged(
                main.confine(throwing: keySelector), comparer: main.confine(throwing: comparer)), confinement)
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
    ) -> MainObservable<Element> {
        MainObservable(source.distinctUntilChanged(at: keyPath), confinement)
    }
}

extension MainObservable where Element: Equatable {
    /// Drops elements that equal the last emitted one.
    ///
    /// ```
    /// source                  --1--1--2--2--1--|
    /// distinctUntilChanged()  --1-----2-----1--|
    /// ```
    @inlinable
    public func distinctUntilChanged() -> MainObservable<Element> {
        MainObservable(source.distinctUntilChanged(), confinement)
    }
}
