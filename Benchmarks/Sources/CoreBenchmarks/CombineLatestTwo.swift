internal import Rx

/// Two subjects, sent to in turns. By hand: two lists of one closure each, which store the element and
/// call on. OpenCombine has no such operator.
func combineLatestTwo() -> Comparison {
    Comparison(
        name: "combineLatest", goal: 4.5, eventsPerRound: 200_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let left = PublishSubject<Int>()
                let right = PublishSubject<Int>()
                let subscription = Observable.combineLatest(left, right, resultSelector: { $0 &+ $1 })
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
                let latest = Latest(combine: { $0 &+ $1 }, next: { sum.value &+= $0 })
                left.closures.append {
                    latest.left = $0; latest.changed()
                }
                right.closures.append {
                    latest.right = $0; latest.changed()
                }
                for number in 0..<count / 2 {
                    left.send(number)
                    right.send(number)
                }
                return sum.value
            },
        ])
}

private final class Latest {
    @exclusivity(unchecked) var left: Int?
    @exclusivity(unchecked) var right: Int?
    private let combine: (Int, Int) -> Int
    private let next: (Int) -> Void

    init(combine: @escaping (Int, Int) -> Int, next: @escaping (Int) -> Void) {
        self.combine = combine
        self.next = next
    }

    @inline(never)
    func changed() {
        if let left, let right { next(combine(left, right)) }
    }
}
