public import Rx

// Time is that of the strategy's scheduler.

extension SharedSequenceConvertibleType {
    /// Emits the first element of each `dueTime` and, with `latest`, the last one at its end.
    ///
    /// ```
    /// source                      --1-2--3----4----
    /// throttle(4)                 --1---2---3---4--
    /// throttle(4, latest: false)  --1----3----4----
    /// ```
    ///
    /// - Parameters:
    ///   - dueTime: the least time between two elements.
    ///   - latest: whether the last element within that time is emitted at its end.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in source.throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler) }
    }

    /// Emits each element that no other follows within `dueTime`, at the end of that time.
    ///
    /// ```
    /// source       --1-2-----3--|
    /// debounce(3)  -------2-----(3|)
    /// ```
    public func debounce(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in source.debounce(dueTime, scheduler: SharingStrategy.scheduler) }
    }

    /// Emits each event `dueTime` later.
    ///
    /// ```
    /// source    --1--2-----|
    /// delay(3)  -----1--2-----|
    /// ```
    public func delay(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in source.delay(dueTime, scheduler: SharingStrategy.scheduler) }
    }
}
