import Glibc
import Rx

/// Lines written from anywhere, in order.
final class Log: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.joined(separator: " ") }

    func write(_ line: String) { lines.withLock { $0.append(line) } }

    /// Writes an observable's events, each after `name`.
    func record<Element: Sendable>(_ name: String, _ observable: Observable<Element>) -> any Disposable {
        observable.subscribe { [self] event in
            switch event {
            case .next(let element): write("\(name)\(element)")
            case .error(let error): write("\(name)!\(error)")
            case .completed: write("\(name)|")
            }
        }
    }
}

struct Oops: Error, CustomStringConvertible {
    var description: String { "oops" }
}

/// Waits, without blocking the thread, until `condition` holds; false when it does not in a minute.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while clock.now < deadline {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}

/// Calls `body` on as many threads of their own, all of which are there before the first begins, and waits for them,
/// blocking none of the tests'. A queue would not do: it has as many threads as there are processors.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let start = Barrier(count)
    await withCheckedContinuation { continuation in
        let left = Locked(count)
        for index in 0..<count {
            startThread {
                start.wait()
                body(index)
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { continuation.resume() }
            }
        }
    }
}

/// Lets nobody on before so many wait. To be used on threads of their own only.
final class Barrier: @unchecked Sendable {
    // Unchecked: made to be shared; the pointer itself never changes.
    private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

    init(_ count: Int) { pthread_barrier_init(barrier, nil, UInt32(count)) }

    deinit {
        pthread_barrier_destroy(barrier)
        barrier.deallocate()
    }

    func wait() { pthread_barrier_wait(barrier) }
}

private final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(ThreadBody(body)).toOpaque())
    precondition(result == 0, "no thread: error \(result)")
    pthread_detach(thread)
}
