internal import OpenCombine
internal import Rx

/// A subject with ten subscribers; an event is one element sent, received ten times. By hand: a list of ten closures.
func subjectToTen() -> Comparison {
    Comparison(
        name: "subject to 10", goal: 1.5, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscriptions = (0..<10).map { _ in subject.subscribe(onNext: { sum.value &+= $0 }) }
                for number in 0..<count { subject.onNext(number) }
                for subscription in subscriptions { subscription.dispose() }
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let list = ClosureList()
                for _ in 0..<10 { list.closures.append { sum.value &+= $0 } }
                for number in 0..<count { list.send(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let subscriptions = (0..<10).map { _ in subject.sink { sum.value &+= $0 } }
                for number in 0..<count { subject.send(number) }
                for subscription in subscriptions { subscription.cancel() }
                return sum.value
            },
        ])
}
