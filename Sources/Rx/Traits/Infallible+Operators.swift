// Operators of `ObservableType` that cannot fail if their closures do not throw.

extension InfallibleType {
    /// Emits the element in a turn of `scheduler` and completes in the next.
    ///
    /// ```
    /// just(1, scheduler: s)  -1|
    /// ```
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(.just(element, scheduler: scheduler))
    }

    // MARK: - One element at a time

    /// Transforms each element.
    ///
    /// ```
    /// source           --1--2--|
    /// map { $0 * 10 }  --10-20-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func map<Result: RxSendable>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible(asObservable().map(transform))
    }

    /// Emits the elements for which `predicate` holds.
    ///
    /// ```
    /// source             --1--2--|
    /// filter { $0 > 1 }  -----2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// Emits the non-nil results of `transform`.
    ///
    /// ```
    /// source                  --7--x--9--|
    /// compactMap { Int($0) }  --7-----9--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping @Sendable (Element) -> Result?
    ) -> Infallible<Result> {
        Infallible(asObservable().compactMap(transform))
    }

    /// Emits the running result of `accumulator` for each element.
    ///
    /// ```
    /// source               --1--2--3--|
    /// scan(0) { $0 + $1 }  --1--3--6--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func scan<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().scan(seed, accumulator: accumulator))
    }

    /// Emits the running result for each element; `accumulator` changes it in place.
    ///
    /// ```
    /// source                      --1--2--3--|
    /// scan(into: 0) { $0 += $1 }  --1--3--6--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func scan<Result: RxSendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
    ) -> Infallible<Result> {
        Infallible(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// Emits these elements, then the sequence.
    ///
    /// ```
    /// source           -------1--|
    /// startWith(8, 9)  (8 9)--1--|
    /// ```
    public func startWith(_ elements: Element...) -> Infallible<Element> {
        Infallible(elements.reversed().reduce(asObservable()) { $0.startWith($1) })
    }

    // MARK: - Inner sequences

    /// Merges the sequences that `selector` returns for the elements; they must not fail.
    ///
    /// ```
    /// source                 --1-----2----|
    /// inner(1)                 -a---b|
    /// inner(2)                       -c-|
    /// flatMap { inner($0) }  ---a---b-c---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMap(selector))
    }

    /// Mirrors the sequence that `selector` returns for the latest element, which must not fail, and disposes the
    /// previous one.
    ///
    /// ```
    /// source                       --1-----2----|
    /// inner(1)                       -a-----b|
    /// inner(2)                             -c-d|
    /// flatMapLatest { inner($0) }  ---a-----c-d-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapLatest(selector))
    }

    /// Mirrors the sequence that `selector` returns for an element, which must not fail. Drops elements that arrive
    /// before that sequence ends.
    ///
    /// ```
    /// source                      --1--2-----3---|
    /// inner(1)                      -a---b|
    /// inner(3)                               -c-|
    /// flatMapFirst { inner($0) }  ---a---b----c--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapFirst(selector))
    }

    /// Emits the sequences that `selector` returns for the elements, one after the other; they must not fail.
    ///
    /// ```
    /// source                   --1-2-----|
    /// inner(1)                   -a---b-|
    /// inner(2)                          -c-|
    /// concatMap { inner($0) }  ---a---b--c-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().concatMap(selector))
    }

    // MARK: - Time

    /// Emits each element that no other follows within `dueTime`, at the end of that time.
    ///
    /// ```
    /// source       --1-2-----3--|
    /// debounce(3)  -------2-----(3|)
    /// ```
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// Emits the first element of each `dueTime` and, with `latest`, the last one at its end.
    ///
    /// ```
    /// source                      --1-2--3----4----
    /// throttle(4)                 --1---2---3---4--
    /// throttle(4, latest: false)  --1----3----4----
    /// ```
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    // MARK: - Side effects

    /// Prints the subscription, the events, and the disposal.
    ///
    /// ```
    /// source   --1--|
    /// debug()  --1--|
    /// ```
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(
            asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Shares one subscription among all subscribers, which first get the latest `replay` elements.
    ///
    /// ```
    /// source    --1------2--|
    /// share(replay: 1)
    ///   first   ^-1------2--|
    ///   second      (^1)-2--|
    /// ```
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
        Infallible(asObservable().share(replay: replay, scope: scope))
    }
}

extension Infallible {
    /// Calls closures as events pass; the sequence is otherwise unchanged.
    ///
    /// ```
    /// source           --1--|
    /// do(onNext: log)  --1--|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to.
    ///   - onSubscribed: called after the source is subscribed to.
    ///   - onDispose: called once, after the end is sent or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func `do`(
        onNext: (@Sendable (Element) -> Void)? = nil,
        afterNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        afterCompleted: (@Sendable () -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Infallible<Element> {
        Infallible(
            source.do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }
}
