import Rx

/// Writes down what an observer receives, as marbles without time: `1 2 |` completed, `1 x` failed, `1 2` open.
final class Recorder<Element: Sendable>: ObserverType {
    private let marbles = Locked<[String]>([])

    var text: String { marbles.withLock { $0.joined(separator: " ") } }
    var count: Int { marbles.withLock { $0.count } }

    func on(_ event: Event<Element>) {
        let marble =
            switch event {
            case .next(let element): "\(element)"
            case .error: "x"
            case .completed: "|"
            }
        marbles.withLock { $0.append(marble) }
    }
}

struct Oops: Error {}

/// What a sequence sends while it is being subscribed.
func marbles<Element>(of observable: Observable<Element>) -> String {
    let recorder = Recorder<Element>()
    let subscription = observable.subscribe(recorder)
    defer { subscription.dispose() }
    return recorder.text
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
