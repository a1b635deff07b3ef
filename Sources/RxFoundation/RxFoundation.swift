// RxFoundation: what of the vocabulary needs all of Foundation. `Rx` itself does without, so that a program that wants to
// stay small does not link it.
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
// * The order of what an `OperationQueueScheduler` runs is that of its queue; `observe(on:)` stays serial on any queue.
// * `decode` ends with the error that the decoder throws; use `flatMap` and `catch` to go on after it.
// * Every `NSObject` has `rx`: extend `Reactive where Base: …` to give a class reactive extensions.
//
// Reading order: OperationQueueScheduler, Decode, NSObject.
