internal import Rx

/// Two subjects, sent to in turns. By hand: two lists of one closure each, which queue the element and send a pair on.
/// OpenCombine has no such operator.
func zipTwo() -> Comparison {
    Comparison(
        name: "zip", goal: 12, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let left = PublishSubject<Int>()
                let right = PublishSubject<Int>()
                let subscription = Observable.zip(left, right, resultSelector: { $0 &+ $1 })
                    .subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count / 2 {
                    left.onNext(number)
                    right.onNext(number)
                }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let left = ClosureList()
                let right = ClosureList()
                let pairs = Pairs(combine: { $0 &+ $1 }, next: { sum.value &+= $0 })
                left.closures.append {
                    pairs.left.append($0); pairs.changed()
                }
                right.closures.append {
                    pairs.right.append($0); pairs.changed()
                }
                for number in 0..<count / 2 {
                    left.send(number)
                    right.send(number)
                }
                return sum.value
            },
        ])
}

private final class Pairs {
    @exclusivity(unchecked) var left: [Int] = []
    @exclusivity(unchecked) var right: [Int] = []
    private let combine: (Int, Int) -> Int
    private let next: (Int) -> Void

    init(combine: @escaping (Int, Int) -> Int, next: @escaping (Int) -> Void) {
        self.combine = combine
        self.next = next
    }

    @inline(never)
    func changed() {
        if left.isEmpty || right.isEmpty { return }
        next(combine(left.removeFirst(), right.removeFirst()))
    }
}
