// The operators that `PrimitiveSequence` has and its protocol lacks. The result is a plain trait: it may send its event
// elsewhere.

extension MainPrimitiveSequence {
    /// Delays the event by `dueTime`. An error is sent at once.
    ///
    /// ```
    /// source    --(1|)
    /// delay(2)  ----(1|)
    /// ```
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.delay(dueTime, scheduler: scheduler)
    }

    /// Subscribes to the sequence after `dueTime`.
    ///
    /// ```
    /// source                  --(1|)
    /// delaySubscription(2)  ----(1|)
    /// ```
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.delaySubscription(dueTime, scheduler: scheduler)
    }

    /// Delivers the event on `scheduler`.
    ///
    /// ```
    /// source          --(1|)
    /// observe(on: s)  ---(1|)
    /// ```
    @_disfavoredOverload
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.observe(on: scheduler)
    }

    /// Subscribes and disposes on `scheduler`.
    ///
    /// ```
    /// source             --(1|)
    /// subscribe(on: s)  ---(1|)
    /// ```
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.subscribe(on: scheduler)
    }

    /// Continues after an error with the sequence that `handler` returns. An error that `handler` throws replaces the
    /// original.
    ///
    /// ```
    /// source                --#
    /// other                   -(1|)
    /// catch { _ in other }  ---(1|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.catch(handler)
    }

    /// Subscribes again after an error, at most `maxAttemptCount` times in total; the last error ends the sequence.
    ///
    /// ```
    /// source         --#
    /// source, again    --(1|)
    /// retry(2)       ----(1|)
    /// ```
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.retry(maxAttemptCount)
    }

    /// Subscribes again each time the sequence that `notificationHandler` returns for the errors emits an element; its
    /// end ends this sequence. An error that is not of type `Failure` ends the sequence.
    ///
    /// ```
    /// source                                        --#
    /// trigger                                         ---t
    /// source, again                                      --(1|)
    /// retry(when: { $0.flatMap { _ in trigger } })  -------(1|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func retry<TriggerObservable: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.retry(when: notificationHandler)
    }

    /// Subscribes again each time the sequence that `notificationHandler` returns for the errors emits an element; its
    /// end ends this sequence.
    ///
    /// ```
    /// source                                        --#
    /// trigger                                         ---t
    /// source, again                                      --(1|)
    /// retry(when: { $0.flatMap { _ in trigger } })  -------(1|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.retry(when: notificationHandler)
    }

    /// Prints the subscription, the events, and the disposal.
    ///
    /// ```
    /// source   --(1|)
    /// debug()  --(1|)
    /// ```
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function)
    }

    /// Fails with `RxError.timeout` if the event does not arrive within `dueTime` of the subscription.
    ///
    /// ```
    /// source      -----(1|)
    /// timeout(3)  ---#
    /// ```
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.timeout(dueTime, scheduler: scheduler)
    }

    /// Continues with `other` if the event does not arrive within `dueTime` of the subscription.
    ///
    /// ```
    /// source                    -----(1|)
    /// other                        -(2|)
    /// timeout(3, other: other)  ----(2|)
    /// ```
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        primitiveSequence.timeout(dueTime, other: other, scheduler: scheduler)
    }
}
