// Operators that keep the promise of every trait: what comes out is of the same kind as what went in.

extension PrimitiveSequence {
    /// The sequence that `observableFactory` makes anew for each subscriber; what it throws is that subscriber's error.
    ///
    /// ```
    /// deferred { Single.just(1) }  1|
    /// ```
    @inlinable
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .deferred { try observableFactory().source })
    }

    /// The event later by `dueTime`. An error is handed on at once.
    ///
    /// ```
    /// source   --1|
    /// delay(2) ----1|
    /// ```
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
    }

    /// The sequence, subscribed later by `dueTime`.
    ///
    /// ```
    /// source                 --1|
    /// delaySubscription(2) .. --1|
    /// ```
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers the event on `scheduler`.
    ///
    /// ```
    /// source          --1|
    /// observe(on: s)  ---1-|   each event in a turn of s
    /// ```
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.observe(on: scheduler))
    }

    /// Subscribes, and disposes, on `scheduler`.
    ///
    /// ```
    /// source            --1|
    /// subscribe(on: s)  ---1|   one turn of s later
    /// ```
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.subscribe(on: scheduler))
    }

    /// On an error, goes on with what `handler` makes of it; what `handler` throws is the error then.
    ///
    /// ```
    /// source                    --x
    /// catch { _ in .just(1) }   --1|
    /// ```
    @inlinable
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catch { try handler($0).source })
    }

    /// Subscribes again on an error, `maxAttemptCount` times in all; the last error is handed on.
    ///
    /// ```
    /// source    --x
    ///             --1|
    /// retry(2)  ----1|
    /// ```
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(maxAttemptCount))
    }

    /// Subscribes again each time the sequence that `notificationHandler` makes of the errors has an element; its end is
    /// the end. An error of another type than `Failure` is handed on.
    ///
    /// ```
    /// source                           --x  --1|
    /// retry(when: { $0.delay(3, s) })  -------1|
    /// ```
    public func retry<TriggerObservable: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Subscribes again each time the sequence that `notificationHandler` makes of the errors has an element; its end is
    /// the end.
    ///
    /// ```
    /// source                           --x  --1|
    /// retry(when: { $0.delay(3, s) })  -------1|
    /// ```
    public func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Prints the subscription, the events and the disposal.
    ///
    /// ```
    /// source   --1|
    /// debug()  --1|
    /// ```
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// A sequence made of a resource that is made for each subscription and disposed with it.
    ///
    /// ```
    /// resource                      [    ]
    /// made                          --1|
    /// using({ resource }) { made }  --1|
    /// ```
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .using(resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
    }

    /// Fails with `RxError.timeout` when the event is later than `dueTime` after the subscription.
    ///
    /// ```
    /// source      -----1|
    /// timeout(3)  ---x
    /// ```
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Goes on with `other` when the event is later than `dueTime` after the subscription.
    ///
    /// ```
    /// source             -----1|
    /// other                 -2|
    /// timeout(3, other)  ----2|
    /// ```
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }
}

extension PrimitiveSequenceType where Element: RxAbstractInteger {
    /// 0 after `dueTime`.
    ///
    /// ```
    /// timer(2)  --0|
    /// ```
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
    }
}
