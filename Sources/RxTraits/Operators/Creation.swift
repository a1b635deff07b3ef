public import Rx

extension SharedSequence {
    /// Completes without an element, in a turn of the strategy's scheduler.
    ///
    /// ```
    /// empty()  |
    /// ```
    public static func empty() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
    }

    /// Emits no event and never ends.
    ///
    /// ```
    /// never()  ----
    /// ```
    public static func never() -> SharedSequence<SharingStrategy, Element> { SharedSequence(raw: Observable.never()) }

    /// Emits one element in a turn of the strategy's scheduler, then completes.
    ///
    /// ```
    /// just(1)  (1|)
    /// ```
    public static func just(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
    }

    /// A sequence that `observableFactory` creates when the first subscriber arrives, on the thread that subscribes.
    ///
    /// ```
    /// inner               --1--2--|
    /// deferred { inner }  --1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func deferred(
        _ observableFactory: @escaping @Sendable () -> SharedSequence<SharingStrategy, Element>
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.deferred { observableFactory().source })
    }

    /// Emits the given elements on the strategy's scheduler, then completes.
    ///
    /// ```
    /// of(1, 2, 3)  (1 2 3|)
    /// ```
    public static func of(_ elements: Element...) -> SharedSequence<SharingStrategy, Element> { from(elements) }

    /// Emits the elements of an array on the strategy's scheduler, then completes.
    ///
    /// ```
    /// from([1, 2, 3])  (1 2 3|)
    /// ```
    public static func from(_ array: [Element]) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.from(array, scheduler: SharingStrategy.scheduler))
    }

    /// Emits the elements of a sequence, which is iterated anew for each subscriber, on the strategy's scheduler, then
    /// completes.
    ///
    /// ```
    /// from(1...3)  (1 2 3|)
    /// ```
    public static func from<Elements: Sequence & RxSendable>(
        _ sequence: Elements
    ) -> SharedSequence<SharingStrategy, Element> where Elements.Element == Element {
        SharedSequence(raw: Observable.from(sequence, scheduler: SharingStrategy.scheduler))
    }

    /// Emits the element, if there is one, on the strategy's scheduler, then completes.
    ///
    /// ```
    /// from(optional: 1)    (1|)
    /// from(optional: nil)  |
    /// ```
    public static func from(optional: Element?) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.from(optional: optional, scheduler: SharingStrategy.scheduler))
    }
}

extension SharedSequence where Element: RxAbstractInteger {
    /// Emits 0, 1, 2, …, one per `period`, the first after one period. Never ends by itself.
    ///
    /// ```
    /// interval(3)  ---0--1--2--3--
    /// ```
    public static func interval(_ period: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.interval(period, scheduler: SharingStrategy.scheduler))
    }

    /// Emits 0 after `dueTime`, then 1, 2, …, one per `period`. Never ends by itself.
    ///
    /// ```
    /// timer(4, period: 2)  ----0-1-2-3-
    /// ```
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.timer(dueTime, period: period, scheduler: SharingStrategy.scheduler))
    }
}
