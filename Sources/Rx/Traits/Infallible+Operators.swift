// The operators of `ObservableType` that cannot fail when their closures do not throw; see there what each does.

extension InfallibleType {
    /// The element in one turn of `scheduler`, the end in the next.
    ///
    /// ```
    /// just(1, scheduler: s)  -1-|
    /// ```
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(.just(element, scheduler: scheduler))
    }

    // MARK: - One element at a time

    /// Each element transformed.
    ///
    /// ```
    /// source         --1--2--|
    /// map { $0*10 }  --10-20-|
    /// ```
    @inlinable
    public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible(asObservable().map(transform))
    }

    /// The elements that satisfy `predicate`.
    ///
    /// ```
    /// source           --1--2--|
    /// filter { $0>1 }  -----2--|
    /// ```
    @inlinable
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// The elements that `transform` makes something of, transformed.
    ///
    /// ```
    /// source                  --"a"--"2"--|
    /// compactMap { Int($0) }  -------2----|
    /// ```
    @inlinable
    public func compactMap<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) -> Result?
    ) -> Infallible<Result> {
        Infallible(asObservable().compactMap(transform))
    }

    /// The running result of `accumulator` over the elements, one for each.
    ///
    /// ```
    /// source      --1--2--3--|
    /// scan(0, +)  --1--3--6--|
    /// ```
    @inlinable
    public func scan<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().scan(seed, accumulator: accumulator))
    }

    /// As `scan(_:accumulator:)`, changing the result in place.
    ///
    /// ```
    /// source                      --1--2--3--|
    /// scan(into: 0) { $0 += $1 }  --1--3--6--|
    /// ```
    @inlinable
    public func scan<Result: Sendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) -> Void
    ) -> Infallible<Result> {
        Infallible(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// These elements first, then the sequence.
    ///
    /// ```
    /// source           -----1--|
    /// startWith(8, 9)  (89)-1--|
    /// ```
    public func startWith(_ elements: Element...) -> Infallible<Element> {
        Infallible(elements.reversed().reduce(asObservable()) { $0.startWith($1) })
    }

    // MARK: - Inner sequences

    /// The elements of all the sequences that `selector` makes of the elements, as they come. Make only such as do not fail.
    ///
    /// ```
    /// source            --1-----2---|
    /// made of 1           -a---b|
    /// made of 2                 -c-|
    /// flatMap { made }  ---a---b-c--|
    /// ```
    @inlinable
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMap(selector))
    }

    /// The elements of the sequence that `selector` made of the latest element. Make only such as do not fail.
    ///
    /// ```
    /// source                  --1-----2----|
    /// made of 1                 -a-----b|
    /// made of 2                       -c-d|
    /// flatMapLatest { made }  ---a-----c-d-|
    /// ```
    @inlinable
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapLatest(selector))
    }

    /// The elements of the sequence that `selector` makes of an element; those that come meanwhile are dropped. Make only
    /// such as do not fail.
    ///
    /// ```
    /// source                 --1--2-----3--|
    /// made of 1                -a---b|
    /// made of 3                         -c|
    /// flatMapFirst { made }  ---a---b----c-|
    /// ```
    @inlinable
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapFirst(selector))
    }

    /// The elements of the sequences that `selector` makes of the elements, one sequence after the other. Make only such as
    /// do not fail.
    ///
    /// ```
    /// source              --1-2-----|
    /// made of 1             -a---b|
    /// made of 2                   -c-|
    /// concatMap { made }  ---a---b-c-|
    /// ```
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().concatMap(selector))
    }

    // MARK: - Time

    /// The latest element, once none has followed it for `dueTime`.
    ///
    /// ```
    /// source       --1-2-----3--|
    /// debounce(3)  -------2-----(3|)
    /// ```
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// The first element of each span of `dueTime`, and, with `latest`, the last one at its end.
    ///
    /// ```
    /// source                      --1-2--3----4---
    /// throttle(4)                 --1---2---3---4-
    /// throttle(4, latest: false)  --1----3----4---
    /// ```
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    // MARK: - Side effects

    /// Prints the subscription, the events and the disposal.
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

    /// One subscription shared among all subscribers, who receive the latest `replay` elements first.
    ///
    /// ```
    /// source            --1--2--|
    /// share(replay: 1)
    ///   first           ^-1--2--|
    ///   second             ^1-2--|
    /// ```
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
        Infallible(asObservable().share(replay: replay, scope: scope))
    }
}

extension Infallible {
    /// The same sequence, with closures called as it passes.
    ///
    /// ```
    /// source         --1--|
    /// do(onNext: f)  --1--|   f called with 1, before it is handed on
    /// ```
    ///
    /// - Parameter onDispose: called once, after the end was handed on or when the subscription is disposed.
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
