/// Disposes on a scheduler.
public final class ScheduledDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic.
    public let scheduler: any ImmediateSchedulerType
    private let slot = DisposableSlot()

    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        super.init()
        _ = slot.set(.from(disposable))
    }

    public var isDisposed: Bool { slot.isDisposed }

    public override func dispose() {
        _ = scheduler.schedule(self) { this in
            this.slot.dispose()
            return Disposables.create()
        }
    }
}
