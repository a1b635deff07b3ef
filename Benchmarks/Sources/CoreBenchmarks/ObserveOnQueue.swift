internal import Dispatch
internal import OpenCombine
internal import OpenCombineDispatch
internal import Rx

/// Elements handed to a serial queue. By hand: one `async` each.
func observeOnQueue() -> Comparison {
    Comparison(
        name: "observe(on:)", goal: 0.6, eventsPerRound: 100_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                let done = DispatchSemaphore(value: 0)
                let subject = PublishSubject<Int>()
                let subscription = subject.observe(on: SerialDispatchQueueScheduler(qos: .default))
                    .subscribe(onNext: { sum.value &+= $0 }, onCompleted: { done.signal() })
                for number in 0..<count { subject.onNext(number) }
                subject.onCompleted()
                done.wait()
                subscription.dispose()
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                let done = DispatchSemaphore(value: 0)
                let queue = DispatchQueue(label: "by hand", qos: .default)
                for number in 0..<count { queue.async { sum.value &+= number } }
                queue.async { done.signal() }
                done.wait()
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                let done = DispatchSemaphore(value: 0)
                let subject = PassthroughSubject<Int, Never>()
                let queue = DispatchQueue(label: "OpenCombine", qos: .default)
                let subscription = subject.receive(on: queue.ocombine)
                    .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { sum.value &+= $0 })
                for number in 0..<count { subject.send(number) }
                subject.send(completion: .finished)
                done.wait()
                subscription.cancel()
                return sum.value
            },
        ])
}
