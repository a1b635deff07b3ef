internal import Glibc
internal import Observation
internal import Rx
internal import Synchronization

/// One subscription to `tracking`: reads the value, registers for the next change, emits the value, and reads again in
/// a turn after the change.
///
/// The registration is in place before the value is emitted, so a subscriber may change the model. The model keeps the
/// registration, which refers to this weakly.
final class ObservationTracker<Element: RxSendable>: DisposeBase, @unchecked Sendable {
    // Unchecked: the closures and schedulers are immutable; the rest is atomic or has its own lock.
    private let read: @Sendable () -> Element
    private let first: any ImmediateSchedulerType
    private let later: any ImmediateSchedulerType
    private let emit: @Sendable (Element) -> Void
    /// The turn that reads next.
    private let turn = SerialDisposable()
    private let registration = Locked<ChangeRegistration?>(nil)
    /// The thread that announces a change right now, or 0.
    private let announcer = Atomic<UInt>(0)

    init(
        read: @escaping @Sendable () -> Element, first: any ImmediateSchedulerType,
        later: any ImmediateSchedulerType, emit: @escaping @Sendable (Element) -> Void
    ) {
        self.read = read
        self.first = first
        self.later = later
        self.emit = emit
    }

    deinit { end() }

    func start() { schedule(on: first) }

    override func dispose() {
        turn.dispose()
        end()
    }

    private func schedule(on scheduler: any ImmediateSchedulerType) {
        // Set before the action is scheduled, which may run at once and schedule the next one.
        let item = SingleAssignmentDisposable()
        turn.disposable = item
        item.setDisposable(
            scheduler.schedule(self) { tracker in
                tracker.look()
                return Disposables.create()
            })
    }

    private func look() {
        precondition(
            announcer.load(ordering: .relaxed) != pthread_self(),
            """
            tracking(on:): the scheduler runs actions within the call that schedules them, so the value would be read \
            before it changes; use MainScheduler.asyncInstance or a SerialDispatchQueueScheduler
            """)
        if turn.isDisposed { return }
        let registration = ChangeRegistration { [weak self] in self?.changes() }
        let value = registration.track(read)
        self.registration.withLock { $0 = registration }
        // Disposed by another thread, or by `read`.
        if turn.isDisposed { return end() }
        emit(value)
    }

    /// Called within the change, on its thread.
    private func changes() {
        if turn.isDisposed { return }
        announcer.store(pthread_self(), ordering: .relaxed)
        schedule(on: later)
        announcer.store(0, ordering: .relaxed)
    }

    private func end() {
        let registration = registration.withLock { registration in
            defer { registration = nil }
            return registration
        }
        registration?.cancel()
    }
}

/// A registration for the next change of any property that a closure has used.
///
/// The Observation framework cannot cancel one. It removes it from all properties when any of them changes, so each
/// registration includes a property of its own, whose change cancels it. Otherwise properties that do not change would
/// collect the registrations of all subscriptions that there ever were.
private final class ChangeRegistration: DisposeBase, Observation.Observable, @unchecked Sendable {
    // Unchecked: `isOver` is atomic, and the rest is immutable.
    private let registrar = ObservationRegistrar()
    private let onChange: @Sendable () -> Void
    private let isOver = Atomic(false)

    init(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
    }

    /// The property of its own, which has no value.
    private var canceled: Void { () }

    /// Registers for the next change of what `read` uses.
    func track<Value>(_ read: () -> Value) -> Value {
        withObservationTracking {
            registrar.access(self, keyPath: \.canceled)
            return read()
        } onChange: {
            self.happen()
        }
    }

    func cancel() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        registrar.willSet(self, keyPath: \.canceled)
        registrar.didSet(self, keyPath: \.canceled)
    }

    private func happen() {
        if !isOver.exchange(true, ordering: .relaxed) { onChange() }
    }
}
