public import Synchronization

/// A source that has several elements ready: it takes turns with others on the current thread, an element a turn, and
/// loops plainly while it is alone.
@usableFromInline
class Loop<Element: Sendable>: TrampolineItem, @unchecked Sendable {
    // Unchecked: moved on by its turns only; the flag is atomic.
    @usableFromInline final let stage: Stage<Element>
    @usableFromInline final let disposed = Atomic(false)

    @usableFromInline
    init(_ stage: Stage<Element>) {
        self.stage = stage
    }

    @inlinable final var isDisposed: Bool { disposed.load(ordering: .relaxed) }

    @usableFromInline
    final override func dispose() { disposed.store(true, ordering: .relaxed) }

    /// Sends one element; false when there is none.
    @usableFromInline
    func sendNext() -> Bool { preconditionFailure("a loop overrides sendNext()") }

    /// Sends elements while `mayGoOn`; false when there are no more.
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

    /// Begins on `scheduler`.
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
