// RxFoundation: the parts of the Rx API that need all of Foundation. `Rx` itself does not, so a small program need not
// link it.
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
// * Every `NSObject` has `rx`: extend `Reactive where Base: …` to add reactive extensions to a class.
//
// Reading order: OperationQueueScheduler, Decode, NSObject.
