public import Rx

extension ObservableType {
    /// What `read` returns, now and after each change of the observable properties that it has used, as
    /// `withObservationTracking` sees them. For models that change on the main actor.
    ///
    /// ```
    /// @Observable @MainActor final class Model { var title = "" }
    ///
    /// RxObservable.tracking { model.title }  // in a file without `import Observation`, also Observable.tracking
    ///     .subscribe(onNext: { print($0) })
    ///     .disposed(by: bag)
    /// ```
    ///
    /// - The current value comes at once if the subscriber is on the main thread, otherwise in a turn of the main
    ///   queue.
    /// - A change is announced before it happens, so the new value is read in a later turn of the main queue
    ///   (`MainScheduler.asyncInstance`). Several changes before that turn give one element, with the last value. No
    ///   other thread can change the model between a reading and the announcement of the next change, because both take
    ///   place on the main actor.
    /// - Each reading decides anew which properties count. Elements may repeat; `distinctUntilChanged()` drops these.
    /// - The grammar is `next*`. The subscription lasts until it is disposed and until then keeps what `read` captures.
    ///   The model does not keep the subscription.
    ///
    /// - Parameter read: returns the value. It must not change the model.
    #if Migration
        @preconcurrency
    #endif
    public static func tracking(_ read: @escaping @MainActor @Sendable () -> Element) -> Observable<Element> {
        .create { observer in
            let tracker = ObservationTracker(
                read: { MainActor.assumeIsolated(read) }, first: ConcurrentMainScheduler.instance,
                later: MainScheduler.asyncInstance, emit: observer.onNext)
            tracker.start()
            return tracker
        }
    }

    /// What `read` returns, now and after each change of the observable properties that it has used, as
    /// `withObservationTracking` sees them. For models that belong to a queue.
    ///
    /// Each value, also the first one, is read and emitted on `scheduler`. A change is announced before it happens, so
    /// the new value is read in a later turn of `scheduler`. Several changes before that turn give one element, with
    /// the last value. Each reading decides anew which properties count. The grammar is `next*`. The subscription lasts
    /// until it is disposed and until then keeps what `read` captures. The model does not keep the subscription.
    ///
    /// - Parameters:
    ///   - scheduler: where the model changes. It must be serial, and it must not run actions within the call that
    ///     schedules them: reading the value while it is being changed is a programming error. `MainScheduler.instance`
    ///     reads changes on `asyncInstance`. A change by another thread during a reading can be missed.
    ///   - read: returns the value. It must not change the model.
    #if Migration
        @preconcurrency
    #endif
    public static func tracking(
        on scheduler: any ImmediateSchedulerType, _ read: @escaping @Sendable () -> Element
    ) -> Observable<Element> {
        let later = scheduler is MainScheduler ? MainScheduler.asyncInstance : scheduler
        return .create { observer in
            let tracker = ObservationTracker(read: read, first: scheduler, later: later, emit: observer.onNext)
            tracker.start()
            return tracker
        }
    }
}
