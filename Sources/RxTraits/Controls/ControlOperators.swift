public import Rx

// The operators that send each event while they receive one: those that `MainObservable` has.

extension ControlSequenceType {
    private var onMain: MainObservable<Element> { MainObservable(asObservable(), .current) }
}

extension ControlSequenceType {
    /// Transforms each element on the main thread. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source           --1--2--3--|
    /// map { $0 * 10 }  --10-20-30-|
    /// ```
    public func map<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result>
    ) -> MainObservable<Result> {
        onMain.map(transform)
    }

    /// Emits the elements for which `predicate`, called on the main thread, holds. An error that it throws ends the
    /// sequence.
    ///
    /// ```
    /// source             --1--2--3--|
    /// filter { $0 > 1 }  -----2--3--|
    /// ```
    public func filter(_ predicate: @escaping ThrowingMainClosure<Element, Bool>) -> MainObservable<Element> {
        onMain.filter(predicate)
    }

    /// Emits the non-nil results of `transform`, called on the main thread. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                  --7--x--9--|
    /// compactMap { Int($0) }  --7-----9--|
    /// ```
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result?>
    ) -> MainObservable<Result> {
        onMain.compactMap(transform)
    }

    /// Emits the running result of `accumulator`, called on the main thread. An error that it throws ends the sequence.
    ///
    /// ```
    /// source               --1--2--3--|
    /// scan(0) { $0 + $1 }  --1--3--6--|
    /// ```
    public func scan<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping ThrowingMainClosure<Result, Element, Result>
    ) -> MainObservable<Result> {
        onMain.scan(seed, accumulator: accumulator)
    }

    /// Emits the running result; `accumulator` changes it in place, on the main thread. An error that `accumulator`
    /// throws ends the sequence.
    ///
    /// ```
    /// source                            --1---2-----3-------|
    /// scan(into: []) { $0.append($1) }  --[1]-[1,2]-[1,2,3]-|
    /// ```
    public func scan<Result: RxSendable>(
        into seed: Result, accumulator: @escaping ThrowingMainUpdate<Result, Element>
    ) -> MainObservable<Result> {
        onMain.scan(into: seed, accumulator: accumulator)
    }

    /// Emits the first `count` elements, then completes.
    ///
    /// ```
    /// source   --1--2--3--|
    /// take(2)  --1--(2|)
    /// ```
    public func take(_ count: Int) -> MainObservable<Element> {
        onMain.take(count)
    }

    /// Drops the first `count` elements.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(1)  -----2--3--|
    /// ```
    public func skip(_ count: Int) -> MainObservable<Element> {
        onMain.skip(count)
    }

    /// Calls closures as events pass; the sequence is otherwise unchanged. The closures for events run on the main
    /// thread.
    ///
    /// For each event, `on…` is called before the event is sent and `after…` after it. An error that they throw ends
    /// the sequence and is not passed to `onError`.
    ///
    /// ```
    /// source             --1-----2-----|
    /// do(onNext: print)  --1-----2-----|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, last, after the source is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onNext: ThrowingMainClosure<Element, Void>? = nil,
        afterNext: ThrowingMainClosure<Element, Void>? = nil,
        onError: ThrowingMainClosure<any Error, Void>? = nil,
        afterError: ThrowingMainClosure<any Error, Void>? = nil,
        onCompleted: ThrowingMainClosure<Void>? = nil,
        afterCompleted: ThrowingMainClosure<Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> MainObservable<Element> {
        onMain.do(
            onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError, onCompleted: onCompleted,
            afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
    }

    /// Drops elements that `comparer`, called on the main thread with the last emitted element and the current one,
    /// considers equal. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                                --1--2--4--5--|
    /// distinctUntilChanged { $1 - $0 < 2 }  --1-----4-----|
    /// ```
    public func distinctUntilChanged(
        _ comparer: @escaping ThrowingMainClosure<Element, Element, Bool>
    ) -> MainObservable<Element> {
        onMain.distinctUntilChanged(comparer)
    }

    /// Drops elements whose key equals that of the last emitted one. The closure is called on the main thread; an error
    /// that it throws ends the sequence.
    ///
    /// ```
    /// source                           --1--2--3--4--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----4--|
    /// ```
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping ThrowingMainClosure<Element, Key>
    ) -> MainObservable<Element> {
        onMain.distinctUntilChanged(keySelector)
    }

    /// Drops elements whose key `comparer`, called with that of the last emitted element and the current one, considers
    /// equal. The closures are called on the main thread; an error that they throw ends the sequence.
    ///
    /// ```
    /// source                                                   --a--A--b--|
    /// distinctUntilChanged({ $0.lowercased() }, comparer: ==)  --a-----b--|
    /// ```
    public func distinctUntilChanged<Key: RxSendable>(
        _ keySelector: @escaping ThrowingMainClosure<Element, Key>,
        comparer: @escaping ThrowingMainClosure<Key, Key, Bool>
    ) -> MainObservable<Element> {
        onMain.distinctUntilChanged(keySelector, comparer: comparer)
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
        onMain.distinctUntilChanged(at: keyPath)
    }
}

extension ControlSequenceType where Element: Equatable {
    /// Drops elements that equal the last emitted one.
    ///
    /// ```
    /// source                  --1--1--2--2--1--|
    /// distinctUntilChanged()  --1-----2-----1--|
    /// ```
    public func distinctUntilChanged() -> MainObservable<Element> {
        onMain.distinctUntilChanged()
    }
}
