internal import OpenCombine
internal import Rx

/// An inner sequence of one element for each element, one after the other. By hand: a queue of closures that take the
/// receiver, of which one runs at a time.
func concatMapJust() -> Comparison {
    Comparison(
        name: "concatMap(just)", goal: 3, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscription = subject.concatMap { Observable.just($0 &+ 1) }
                    .subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count { subject.onNext(number) }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let list = ClosureList()
                let queue = ClosureQueue { sum.value &+= $0 }
                list.closures.append { number in queue.add { $0(number &+ 1) } }
                for number in 0..<count { list.send(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.flatMap(maxPublishers: .max(1)) { Just($0 &+ 1) }
                    .sink { sum.value &+= $0 }
                for number in 0..<count { subject.send(number) }
                subscription.cancel()
                return sum.value
            },
        ])
}

private final class ClosureQueue {
    @exclusivity(unchecked) private var waiting: [((Int) -> Void) -> Void] = []
    @exclusivity(unchecked) private var isRunning = false
    private let next: (Int) -> Void

    init(next: @escaping (Int) -> Void) {
        self.next = next
    }

    @inline(never)
    func add(_ inner: @escaping ((Int) -> Void) -> Void) {
        waiting.append(inner)
        if isRunning { return }
        isRunning = true
        while !waiting.isEmpty { waiting.removeFirst()(next) }
        isRunning = false
    }
}
