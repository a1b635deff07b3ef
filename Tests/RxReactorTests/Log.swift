import Dispatch
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

/// Calls `body` on as many threads of their own at once and waits for all of them, blocking none of the tests'.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let queue = DispatchQueue(label: "RxReactorTests.threads", attributes: .concurrent)
    await withCheckedContinuation { continuation in
        let group = DispatchGroup()
        for index in 0..<count { queue.async(group: group) { body(index) } }
        group.notify(queue: queue) { continuation.resume() }
    }
}
