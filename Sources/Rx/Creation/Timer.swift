extension ObservableType where Element: RxAbstractInteger {
    /// Emits 0, 1, 2, …, one per `period`, the first after one period. Never ends by itself.
    ///
    /// ```
    /// interval(3)  ---0--1--2--3--
    /// ```
    ///
    /// - Parameters:
    ///   - period: zero or a negative period means as fast as the scheduler permits.
    ///   - scheduler: where the elements are emitted.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TimerSource(period, period, scheduler)
    }

    /// Emits 0 after `dueTime`, then completes. With a period, continues with 1, 2, …, one per period, and never ends
    /// by itself.
    ///
    /// ```
    /// timer(4)             ----(0|)
    /// timer(4, period: 2)  ----0-1-2-3-
    /// ```
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        TimerSource(dueTime, period, scheduler)
    }
}

private final class TimerSource<Element: RxAbstractInteger & RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let dueTime: RxTimeInterval
    let period: RxTimeInterval?
    let scheduler: any SchedulerType

    init(_ dueTime: RxTimeInterval, _ period: RxTimeInterval?, _ scheduler: any SchedulerType) {
        self.dueTime = dueTime
        self.period = period
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let timer = SingleAssignmentDisposable()
        stage.attach(timer)
        if let period {
            timer.setDisposable(
                scheduler.schedulePeriodic(Element(0), startAfter: dueTime, period: period) { count in
                    if !timer.isDisposed { stage.next(count) }
                    return count &+ 1
                })
        } else {
            timer.setDisposable(
                scheduler.scheduleRelative((), dueTime: dueTime) { _ in
                    if !timer.isDisposed { stage.next(0) }
                    if !timer.isDisposed { stage.completed() }
                    return Disposables.create()
                })
        }
    }
}
