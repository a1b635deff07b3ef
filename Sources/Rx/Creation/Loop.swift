internal import Synchronization

/// A source that has several elements ready: it takes turns with others on the current thread, an element a turn, and
/// loops plainly while it is alone.
class Loop<Element: Sendable>: TrampolineItem, @unchecked Sendable {
    // Unchecked: moved on by its turns only; the flag is atomic.
    final let stage: Stage<Element>
    private let disposed = Atomic(false)

    init(_ stage: Stage<Element>) {
        self.stage = stage
    }

    final var isDisposed: Bool { disposed.load(ordering: .relaxed) }
    final override func dispose() { disposed.store(true, ordering: .relaxed) }

    /// Sends one element; false when there is none.
    func sendNext() -> Bool { false }

    final override func run() {
        let trampoline = Trampoline.current
        while !isDisposed {
            guard sendNext() else { return stage.completed() }
            if trampoline.hasWaiting { return trampoline.append(self) }
        }
    }

    /// Begins on `scheduler`.
    final func start(on scheduler: any ImmediateSchedulerType) {
        guard scheduler is CurrentThreadScheduler else {
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
