internal import OpenCombine
internal import Rx

/// A subscription made and disposed, beside one that stays. By hand: a closure put into a table of closures and taken
/// out again by its key.
func subscribeChurn() -> Comparison {
    Comparison(
        name: "subscribe churn", goal: 5, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let staying = subject.subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count {
                    subject.subscribe(onNext: { sum.value &+= $0 &+ number }).dispose()
                }
                subject.onNext(1)
                staying.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let table = ClosureTable()
                let staying = table.add { sum.value &+= $0 }
                for number in 0..<count {
                    table.remove(table.add { sum.value &+= $0 &+ number })
                }
                table.send(1)
                table.remove(staying)
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let staying = subject.sink { sum.value &+= $0 }
                for number in 0..<count {
                    subject.sink { sum.value &+= $0 &+ number }.cancel()
                }
                subject.send(1)
                staying.cancel()
                return sum.value
            },
        ])
}
