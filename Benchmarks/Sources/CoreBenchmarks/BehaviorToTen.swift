internal import OpenCombine
internal import Rx

/// A subject that keeps its value, with ten subscribers. By hand: a value and a list of ten closures.
func behaviorToTen() -> Comparison {
    Comparison(
        name: "BehaviorSubject to 10", goal: 2, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = BehaviorSubject(value: 1)
                let subscriptions = (0..<10).map { _ in subject.subscribe(onNext: { sum.value &+= $0 }) }
                for number in 0..<count { subject.onNext(number) }
                for subscription in subscriptions { subscription.dispose() }
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let kept = KeptValue(1)
                for _ in 0..<10 { kept.add { sum.value &+= $0 } }
                for number in 0..<count { kept.send(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = CurrentValueSubject<Int, Never>(1)
                let subscriptions = (0..<10).map { _ in subject.sink { sum.value &+= $0 } }
                for number in 0..<count { subject.send(number) }
                for subscription in subscriptions { subscription.cancel() }
                return sum.value
            },
        ])
}

private final class KeptValue {
    @exclusivity(unchecked) private var value: Int
    private let list = ClosureList()

    init(_ value: Int) {
        self.value = value
    }

    func add(_ closure: @escaping (Int) -> Void) {
        list.closures.append(closure)
        closure(value)
    }

    @inline(never)
    func send(_ number: Int) {
        value = number
        list.send(number)
    }
}
