internal import Glibc
internal import Synchronization

/// The queue of the current thread. An action that is scheduled while another one runs here runs after it, in order.
@usableFromInline
final class Trampoline {
    // Unchecked: used on one thread, in accesses that call nothing.
    @exclusivity(unchecked) private(set) var isRunning = false
    @exclusivity(unchecked) private var queue = Queue<TrampolineItem>()
    /// Whether an action is waiting.
    @exclusivity(unchecked) @usableFromInline private(set) var hasWaiting = false

    /// Starts the trampoline of this thread and returns it; nil if it was already running.
    static func enter() -> Trampoline? {
        let trampoline = current
        if trampoline.isRunning { return nil }
        trampoline.isRunning = true
        return trampoline
    }

    /// Runs the actions scheduled meanwhile, then stops the trampoline.
    func leave() {
        while let item = queue.removeFirst() {
            hasWaiting = !queue.isEmpty
            item.run()
        }
        isRunning = false
    }

    func append(_ item: TrampolineItem) {
        queue.append(item)
        hasWaiting = true
    }

    static var current: Trampoline {
        if let known = pthread_getspecific(key) {
            return Unmanaged<Trampoline>.fromOpaque(known).takeUnretainedValue()
        }
        let made = Trampoline()
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }

    /// Runs `body` with a separate trampoline, so that actions it schedules on this thread do not wait for the current
    /// one.
    static func apart<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        let inner = Unmanaged.passRetained(Trampoline())
        pthread_setspecific(key, inner.toOpaque())
        defer {
            pthread_setspecific(key, outer)
            inner.release()
        }
        return try body()
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            Unmanaged<Trampoline>.fromOpaque(pointer).release()
        }
        return key
    }()
}

@usableFromInline
class TrampolineItem: DisposeBase, @unchecked Sendable {
    // Unchecked: see `ScheduledItem`.
    @usableFromInline override init() { super.init() }

    @usableFromInline
    func run() {}
}

/// A scheduled action with its state. Disposing it cancels the action or disposes what it returned.
final class ScheduledItem<State: RxSendable>: TrampolineItem, @unchecked Sendable {
    // Unchecked: `work` belongs to the single call that takes it; the rest is atomic.
    private var work: (state: State, action: @Sendable (State) -> any Disposable)?
    private let isTaken = Atomic(false)
    private let slot = DisposableSlot()

    init(_ state: State, _ action: @escaping @Sendable (State) -> any Disposable) {
        work = (state, action)
    }

    override func run() {
        guard let work = takeWork(), !slot.isDisposed else { return }
        _ = slot.set(.from(work.action(work.state)))
    }

    override func dispose() {
        _ = takeWork()
        slot.dispose()
    }

    /// Takes the action, by the first of `run()` and `dispose()`, so that retaining the item does not retain the state
    /// and the action.
    private func takeWork() -> (state: State, action: @Sendable (State) -> any Disposable)? {
        if isTaken.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        defer { work = nil }
        return work
    }
}
