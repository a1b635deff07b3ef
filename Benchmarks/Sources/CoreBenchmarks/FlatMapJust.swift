internal import OpenCombine
internal import Rx

/// An inner sequence of one element for each element. By hand: what makes it returns a closure that takes the receiver,
/// an allocation each as `just` is one.
func flatMapJust() -> Comparison {
    Comparison(
        name: "flatMap(just)", goal: 1.5, eventsPerRound: 200_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscription = subject.flatMap { Observable.just($0 &+ 1) }.subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count { subject.onNext(number) }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let list = ClosureList()
                list.closures.append(flatMapping({ just($0 &+ 1) }, { sum.value &+= $0 }))
                for number in 0..<count { list.send(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.flatMap { Just($0 &+ 1) }.sink { sum.value &+= $0 }
                for number in 0..<count { subject.send(number) }
                subscription.cancel()
                return sum.value
            },
        ])
}

private typealias Inner = (_ receiver: (Int) -> Void) -> Void

@inline(never)
private func just(_ number: Int) -> Inner { { receiver in receiver(number) } }

@inline(never)
private func flatMapping(_ selector: @escaping (Int) -> Inner, _ next: @escaping (Int) -> Void) -> (Int) -> Void {
    { selector($0)(next) }
}
