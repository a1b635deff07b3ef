// The forms of `observe(on:)` for main schedulers, selected by the static type of the scheduler. The general forms are
// disfavored: the compiler then does not consider them once one of these fits.

extension ObservableType {
    /// Delivers the events on the main thread, in order and one at a time. The closures of subscribers and of the next
    /// operators are `@MainActor`.
    ///
    /// ```
    /// source          --1--2--|
    /// observe(on: s)  ---1--2--|
    /// ```
    public func observe(on scheduler: any MainSchedulerType) -> MainObservable<Element> {
        observe(on: scheduler, buffering: .unbounded)
    }

    /// Delivers the events on the main thread, in order and one at a time, with a limit on waiting elements. The
    /// closures of subscribers and of the next operators are `@MainActor`.
    ///
    /// ```
    /// source                                                            -1-2-3-4----|
    /// observe(on: slow, buffering: .bounded(1, whenFull: .dropOldest))  ----2---4------|
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: runs its actions on the main thread.
    ///   - buffering: the limit and the treatment of excess elements.
    public func observe(on scheduler: any MainSchedulerType, buffering: Buffering) -> MainObservable<Element> {
        let general: any ImmediateSchedulerType = scheduler
        return MainObservable(observe(on: general, buffering: buffering))
    }
}

extension PrimitiveSequenceType {
    /// Delivers the event on the main thread. The closures of subscribers and of the next operators are `@MainActor`.
    ///
    /// ```
    /// source          --(1|)
    /// observe(on: s)  ---(1|)
    /// ```
    public func observe(on scheduler: any MainSchedulerType) -> MainPrimitiveSequence<Trait, Element> {
        let general: any ImmediateSchedulerType = scheduler
        return MainPrimitiveSequence(primitiveSequence.observe(on: general))
    }
}

extension InfallibleType {
    /// Delivers the events on `scheduler`, in order and one at a time.
    ///
    /// ```
    /// source          --1--2--|
    /// observe(on: s)  ---1--2--|
    /// ```
    @_disfavoredOverload
    public func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(asObservable().observe(on: scheduler))
    }

    /// Delivers the events on the main thread, in order and one at a time. The closures of subscribers and of the next
    /// operators are `@MainActor`.
    ///
    /// ```
    /// source          --1--2--|
    /// observe(on: s)  ---1--2--|
    /// ```
    public func observe(on scheduler: any MainSchedulerType) -> MainInfallible<Element> {
        MainInfallible(asObservable().observe(on: scheduler))
    }
}
