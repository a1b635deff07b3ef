import Dispatch
import Rx
public import RxAction

/// Lines written from anywhere, in order.
final class Log: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.joined(separator: " ") }
    var count: Int { lines.withLock { $0.count } }

    func write(_ line: String) { lines.withLock { $0.append(line) } }
    func clear() { lines.withLock { $0 = [] } }

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

    /// Writes a transition as a short word.
    func write<Element>(_ transition: ActionTransition<Element>) {
        switch transition {
        case .queued: write("queued")
        case .started: write("started")
        case .executing(let value): write(value ? "executing" : "idle")
        case .enabled(let value): write(value ? "enabled" : "disabled")
        case .element(_, let element): write("\(element)")
        case .ended(_, .completed): write("completed")
        case .ended(_, .failed): write("failed")
        case .ended(_, .cancelled): write("cancelled")
        case .refused(.executing): write("refused:executing")
        case .refused(.queueFull(let limit)): write("refused:full(\(limit))")
        case .refused(.tooManyGroups(let limit)): write("refused:groups(\(limit))")
        case .refused(.condition(let error)): write(error == nil ? "refused:condition" : "refused:error")
        case .refused(.released): write("refused:released")
        case .conditionFailed: write("conditionFailed")
        }
    }
}

struct Oops: Error, CustomStringConvertible {
    var description: String { "oops" }
}

extension ActionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notEnabled: "notEnabled"
        case .underlyingError(let error): "underlying(\(error))"
        }
    }
}

extension Result {
    var success: Success? { try? get() }
}

/// Calls `body` on as many threads of their own at once and waits for all of them, blocking none of the tests'.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let queue = DispatchQueue(label: "RxActionTests.threads", attributes: .concurrent)
    await withCheckedContinuation { continuation in
        let group = DispatchGroup()
        for index in 0..<count { queue.async(group: group) { body(index) } }
        group.notify(queue: queue) { continuation.resume() }
    }
}
