internal import CEpoll
internal import Glibc

// Sendable: the handle is under the lock.
/// A named thread that can be joined.
final class LoopThread: @unchecked Sendable {
    /// The identity of the calling thread; not 0.
    static var current: UInt { UInt(pthread_self()) }

    private let lock = Lock()
    private var handle: pthread_t?

    private final class Start {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    func start(name: String, _ body: @escaping () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var made = pthread_t()
        let failure = pthread_create(
            &made, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                cepoll_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        precondition(failure == 0, "pthread_create: errno \(failure)")
        let isFirst = lock.withLock {
            guard handle == nil else { return false }
            handle = made
            return true
        }
        precondition(isFirst, "started twice without join")
    }

    func join() {
        let waiting = lock.withLock {
            defer { handle = nil }
            return handle
        }
        if let waiting { pthread_join(waiting, nil) }
    }
}
