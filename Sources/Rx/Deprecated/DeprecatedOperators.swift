// The operator names of RxSwift 5, which RxSwift 6 still has, so that older programs compile. Each one is the operator
// that its attribute names.

extension ObservableType {
    /// The same as `observe(on:)`.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> { observe(on: scheduler) }

    /// The same as `subscribe(on:)`.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }

    /// The same as `catch(_:)`.
    #if Migration
        @preconcurrency
    #endif
    @available(*, deprecated, renamed: "catch(_:)")
    public func catchError(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        self.catch(handler)
    }

    /// The same as `catch(sequence:)`.
    @available(*, deprecated, renamed: "catch(sequence:)")
    public static func catchError<Sources: Sequence & RxSendable>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        self.catch(sequence: sequence)
    }

    /// The same as `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public func catchErrorJustReturn(_ element: Element) -> Observable<Element> { catchAndReturn(element) }

    /// The same as `retry(when:)` for errors of one type.
    #if Migration
        @preconcurrency
    #endif
    @available(*, deprecated, renamed: "retry(when:)")
    public func retryWhen<TriggerObservable: ObservableType, Error: Swift.Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }

    /// The same as `retry(when:)`.
    #if Migration
        @preconcurrency
    #endif
    @available(*, deprecated, renamed: "retry(when:)")
    public func retryWhen<TriggerObservable: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }
}

extension ObservableType {
    /// The same as `element(at:)`.
    @available(*, deprecated, renamed: "element(at:)")
    public func elementAt(_ index: Int) -> Observable<Element> { element(at: index) }

    /// The same as `take(for:scheduler:)`.
    @available(*, deprecated, renamed: "take(for:scheduler:)")
    public func take(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: duration, scheduler: scheduler)
    }

    /// The same as `take(until:)` with a sequence.
    @available(*, deprecated, renamed: "take(until:)")
    public func takeUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> { take(until: other) }

    /// The same as `take(until:behavior:)`, with its arguments exchanged.
    // No `renamed`: the fix-it would keep the order of the arguments, which then would not compile.
    #if Migration
        @preconcurrency
    #endif
    @available(*, deprecated, message: "use take(until:behavior:), with the predicate first")
    public func takeUntil(
        _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(until: predicate, behavior: behavior)
    }

    /// The same as `take(while:)`.
    #if Migration
        @preconcurrency
    #endif
    @available(*, deprecated, renamed: "take(while:)")
    public func takeWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate)
    }

    /// The same as `skip(until:)`.
    @available(*, deprecated, renamed: "skip(until:)")
    public func skipUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> { skip(until: other) }

    /// The same as `skip(while:)`.
    #if Migration
        @preconcurrency
    #endif
    @available(*, deprecated, renamed: "skip(while:)")
    public func skipWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        skip(while: predicate)
    }
}
