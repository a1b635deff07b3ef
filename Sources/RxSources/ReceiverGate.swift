internal import Glibc
internal import RxJSON
internal import RxStreams

/// The gate of a source.
typealias ReceiverGate = Gate<any SourceReceiver>

// Sendable: the mutex guards everything; the pointers never change.
/// Passes calls to a receiver, one at a time, until it is closed.
final class Gate<Receiver: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isFree = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var receiver: Receiver?
    /// The thread that is calling the receiver.
    private var caller: pthread_t?

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(isFree, nil)
    }

    /// A gate that is open.
    convenience init(_ receiver: Receiver) {
        self.init()
        open(receiver)
    }

    deinit {
        pthread_cond_destroy(isFree)
        pthread_mutex_destroy(mutex)
        isFree.deallocate()
        mutex.deallocate()
    }

    /// From now on calls reach `receiver`.
    func open(_ receiver: Receiver) {
        pthread_mutex_lock(mutex)
        self.receiver = receiver
        pthread_mutex_unlock(mutex)
    }

    /// Calls `body` with the receiver, after a call that another thread is making; does nothing once closed. Not to be
    /// called by a receiver.
    func call(_ body: (Receiver) -> Void) {
        pthread_mutex_lock(mutex)
        while caller != nil { pthread_cond_wait(isFree, mutex) }
        let receiver = receiver
        if receiver != nil { caller = pthread_self() }
        pthread_mutex_unlock(mutex)
        guard let receiver else { return }
        body(receiver)
        pthread_mutex_lock(mutex)
        caller = nil
        pthread_cond_broadcast(isFree)
        pthread_mutex_unlock(mutex)
    }

    /// Releases the receiver, which is not called any more once this has returned. Waits for a call under way, unless
    /// it is the caller that makes it.
    func close() {
        pthread_mutex_lock(mutex)
        // Released after the lock.
        let released = receiver
        receiver = nil
        while let caller, pthread_equal(caller, pthread_self()) == 0 { pthread_cond_wait(isFree, mutex) }
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(released) {}
    }
}

/// Passes everything on, until its gate is closed.
final class GatedReceiver: SourceReceiver {
    private let gate: ReceiverGate

    init(_ gate: ReceiverGate) { self.gate = gate }

    func receive(_ elements: [SourceElement]) { gate.call { $0.receive(elements) } }
    func report(waiting reason: String?) { gate.call { $0.report(waiting: reason) } }
    func report(error message: String, element: RawJSON?) { gate.call { $0.report(error: message, element: element) } }
    func report(lost count: Int?) { gate.call { $0.report(lost: count) } }
    func report(origin position: RawJSON) { gate.call { $0.report(origin: position) } }
    func finish() { gate.call { $0.finish() } }
}
