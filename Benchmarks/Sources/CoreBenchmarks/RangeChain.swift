internal import OpenCombine
internal import Rx

/// A source that counts, with three steps below it. By hand: a loop that calls the first of the nested closures.
func rangeChain() -> Comparison {
    Comparison(
        name: "range chain", goal: 7,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subscription = Observable.range(start: 0, count: count)
                    .map { $0 &* 3 }.filter { $0 & 1 == 0 }.map { $0 &+ 1 }
                    .subscribe(onNext: { sum.value &+= $0 })
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let chain = mapping(
                    { $0 &* 3 }, filtering({ $0 & 1 == 0 }, mapping({ $0 &+ 1 }, { sum.value &+= $0 })))
                for number in 0..<count { chain(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subscription = (0..<count).publisher
                    .map { $0 &* 3 }.filter { $0 & 1 == 0 }.map { $0 &+ 1 }
                    .sink { sum.value &+= $0 }
                subscription.cancel()
                return sum.value
            },
        ])
}
