internal import OpenCombine
internal import Rx

/// Three steps below a subject. By hand: a list of closures with one in it, which calls the next of three nested ones.
func mapFilterMap() -> Comparison {
    Comparison(
        name: "map.filter.map", goal: 1.6,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscription = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.map { $0 &+ 1 }
                    .subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count { subject.onNext(number) }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let list = ClosureList()
                list.closures.append(
                    mapping({ $0 &* 3 }, filtering({ $0 & 1 == 0 }, mapping({ $0 &+ 1 }, { sum.value &+= $0 }))))
                for number in 0..<count { list.send(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.map { $0 &+ 1 }
                    .sink { sum.value &+= $0 }
                for number in 0..<count { subject.send(number) }
                subscription.cancel()
                return sum.value
            },
        ])
}
