// RxFoundation: the parts of the Rx API that need all of Foundation, and a bridge from the Observation framework. `Rx`
// itself needs neither, so a small program need not link them.
//
//     import RxFoundation
//
//     let queue = OperationQueue()
//     responses                                                     // Observable<Data>
//         .observe(on: OperationQueueScheduler(operationQueue: queue, queuePriority: .low))
//         .decode(type: Reply.self, decoder: JSONDecoder())         // Observable<Reply>
//         .subscribe(onNext: { print($0) }, onError: { print("not a reply:", $0) })
//         .disposed(by: bag)
//
// Rules for users
// * An `OperationQueueScheduler` runs actions in the order of its queue; `observe(on:)` stays serial on any queue.
// * `decode` ends with the decoder's error; use `flatMap` and `catch` to continue after it.
// * `RxObservable.tracking { model.title }` emits what the closure returns, now and after each change of the properties
//   that it used. The model changes on the main actor, or on the scheduler of `tracking(on:_:)`.
// * `Observable` is ambiguous in files that also import Observation, which has a protocol of that name: write
//   `RxObservable`.
// * Every `NSObject` has `rx`: extend `Reactive where Base: …` to add reactive extensions to a class.
//
// Reading order: OperationQueueScheduler, Decode, NSObject, Tracking, ObservationTracker.
