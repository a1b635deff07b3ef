internal import OpenCombine
internal import Rx

/// Each outer element replaces the subscription to an inner subject, which then sends one element. By hand: the closure
/// is taken out of a table and a new one put in.
func flatMapLatestChurn() -> Comparison {
    Comparison(
        name: "flatMapLatest churn", goal: 6, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let outer = PublishSubject<Int>()
                let inner = PublishSubject<Int>()
                let subscription = outer.flatMapLatest { _ in inner }.subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count {
                    outer.onNext(number)
                    inner.onNext(number)
                }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let outer = ClosureList()
                let inner = ClosureTable()
                let latest = Switch(inner) { sum.value &+= $0 }
                outer.closures.append { latest.receive($0) }
                for number in 0..<count {
                    outer.send(number)
                    inner.send(number)
                }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let outer = PassthroughSubject<Int, Never>()
                let inner = PassthroughSubject<Int, Never>()
                let subscription = outer.map { _ in inner }.switchToLatest().sink { sum.value &+= $0 }
                for number in 0..<count {
                    outer.send(number)
                    inner.send(number)
                }
                subscription.cancel()
                return sum.value
            },
        ])
}

private final class Switch {
    private let inner: ClosureTable
    private let next: (Int) -> Void
    @exclusivity(unchecked) private var key: Int?

    init(_ inner: ClosureTable, _ next: @escaping (Int) -> Void) {
        self.inner = inner
        self.next = next
    }

    @inline(never)
    func receive(_ number: Int) {
        if let key { inner.remove(key) }
        key = inner.add { [next] in next($0) }
    }
}
