public import Synchronization

/// A source with several elements available. On the current thread it alternates with other sources, one element per
/// turn, and runs as a plain loop while it is alone.
@usableFromInline
class Loop<Element: RxSendable>: TrampolineItem, @unchecked Sendable {
    // Unchecked: advanced only by its turns; the flag is atomic.
    @usableFromInline final let stage: Stage<Element>
    @usableFromInline final let disposed = Atomic(false)

    @usableFromInline
    init(_ stage: Stage<Element>) {
        self.stage = stage
    }

    @inlinable final var isDisposed: Bool { disposed.load(ordering: .relaxed) }

    @usableFromInline
    final override func dispose() { disposed.store(true, ordering: .relaxed) }

    /// Sends one element. Returns false if there is none.
    @usableFromInline
    func sendNext() -> Bool { preconditionFailure("a loop overrides sendNext()") }

    /// Sends elements while `mayGoOn`. Returns false if there are no more.
    @usableFromInline
    func sendSeveral(on trampoline: Trampoline) -> Bool {
        repeat {
            if !sendNext() { return false }
        } while mayGoOn(trampoline)
        return true
    }

    /// Whether another element may follow in the same turn.
    @inlinable
    final func mayGoOn(_ trampoline: Trampoline) -> Bool { !trampoline.hasWaiting && !isDisposed }

    @usableFromInline
    final override func run() {
        if isDisposed { return }
        let trampoline = Trampoline.current
        guard sendSeveral(on: trampoline) else { return stage.completed() }
        if !isDisposed { trampoline.append(self) }
    }

    /// Starts the loop on `scheduler`.
    final func start(on scheduler: any ImmediateSchedulerType) {
        guard type(of: scheduler) == CurrentThreadScheduler.self else {
            let turns = scheduler.scheduleRecursive(self) { loop, again in
                if loop.isDisposed { return }
                if loop.sendNext() { again(loop) } else { loop.stage.completed() }
            }
            return stage.attach(CompositeDisposable(self, turns))
        }
        stage.attach(self)
        if let trampoline = Trampoline.enter() {
            run()
            trampoline.leave()
        } else {
            Trampoline.current.append(self)
        }
    }
}
