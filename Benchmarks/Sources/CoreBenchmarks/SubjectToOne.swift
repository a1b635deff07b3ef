internal import OpenCombine
internal import Rx

/// A subject with one subscriber. By hand: a list of closures with one in it.
func subjectToOne() -> Comparison {
    Comparison(
        name: "subject to 1", goal: 2.5,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscription = subject.subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count { subject.onNext(number) }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let list = ClosureList()
                list.closures.append { sum.value &+= $0 }
                for number in 0..<count { list.send(number) }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.sink { sum.value &+= $0 }
                for number in 0..<count { subject.send(number) }
                subscription.cancel()
                return sum.value
            },
        ])
}
