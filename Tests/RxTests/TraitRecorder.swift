import Rx

/// Lines that closures on any thread write down.
final class Log: Sendable {
    private let lines = Locked<[String]>([])

    init() {}

    var text: String { lines.withLock { $0.joined(separator: ", ") } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// What a trait sends while it is being subscribed, as marbles.
func marbles<Trait, Element>(of trait: PrimitiveSequence<Trait, Element>) -> String {
    marbles(of: trait.asObservable())
}

func marbles<Element>(of infallible: Infallible<Element>) -> String { marbles(of: infallible.asObservable()) }
