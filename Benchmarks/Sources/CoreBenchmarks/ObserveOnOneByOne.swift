internal import Dispatch
internal import OpenCombine
internal import OpenCombineDispatch
internal import Rx

/// Elements handed to a serial queue, each after the queue has finished with the one before. By hand: one `async` each.
func observeOnOneByOne() -> Comparison {
    Comparison(
        name: "observe(on:) one by one", goal: 1.5, eventsPerRound: 10_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let queue = DispatchQueue(label: "Rx")
                let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "Rx.serial")
                let subject = PublishSubject<Int>()
                let subscription = subject.observe(on: scheduler).subscribe(onNext: { sum.value &+= $0 })
                for number in 0..<count {
                    subject.onNext(number)
                    queue.sync {}
                }
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let queue = DispatchQueue(label: "by hand")
                for number in 0..<count {
                    queue.async { sum.value &+= number }
                    queue.sync {}
                }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let queue = DispatchQueue(label: "OpenCombine")
                let subject = PassthroughSubject<Int, Never>()
                let subscription = subject.receive(on: queue.ocombine).sink { sum.value &+= $0 }
                for number in 0..<count {
                    subject.send(number)
                    queue.sync {}
                }
                subscription.cancel()
                return sum.value
            },
        ])
}
