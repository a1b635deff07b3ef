/// Disposes its disposable on a scheduler.
public final class ScheduledDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic.
    /// The scheduler on which the disposal runs.
    public let scheduler: any ImmediateSchedulerType
    private let slot = DisposableSlot()

    /// Creates a disposable that disposes `disposable` on `scheduler`.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        super.init()
        _ = slot.set(.from(disposable))
    }

    /// Whether it has been disposed.
    public var isDisposed: Bool { slot.isDisposed }

    /// Handles the end of the sequence whose disposable this holds: releases it here and now.
    func settleHere() {
        if let held = slot.close() { held?.settle() }
    }

    public override func dispose() {
        _ = scheduler.schedule(self) { this in
            this.slot.dispose()
            return Disposables.create()
        }
    }
}
