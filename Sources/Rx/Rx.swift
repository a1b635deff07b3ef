// Rx: observables, operators, subjects and schedulers.
//
// An `Observable` is a description: nothing happens until someone subscribes, and each subscription starts it anew. A
// subscription receives `next* (error | completed)?`, one event at a time, and nothing once it was disposed.
//
//     let subscription = Observable.of(1, 2, 3)
//         .filter { $0 != 2 }
//         .flatMap { lookUp($0) }
//         .observe(on: SerialDispatchQueueScheduler(qos: .default))
//         .subscribe(onNext: { print($0) }, onError: { print("failed:", $0) })
//     subscription.disposed(by: bag)
//
// Rules for users
// * Elements are `Sendable` and closures `@Sendable`: the compiler checks what may run on another thread.
// * No lock is ever held while an observer, a closure or a `dispose` runs, so none of them can deadlock against the library.
// * Subjects may be sent to from several threads and from within a delivery: events are delivered one at a time, in one
//   order; one sent from within a delivery comes after it.
// * Several sources that are ready on one thread take turns, an element each (`combineLatest(of(1, 2), of(3, 4))`).
// * What `create` returns is disposed exactly once. A disposed subscription may still be inside of the delivery that was
//   under way on another thread.
//
// How it is built
// * `ObservableConvertibleType` > `ObservableType` > `Observable` > `Producer` > the operator. An operator is a producer
//   that holds its parameters; `run(_:)` puts a `Stage` on top of the one it is given and runs its source into that.
// * `Stage` is one object a step of a subscription: observer of the step above and link to the one below. Events go down by
//   three direct calls, next, error, completed; what stops the source goes down once, before them, as `attach`. A `Pass`
//   (map, filter, scan) keeps nothing of it, so disposing jumps over it.
// * `Sink` is a stage that owns what is above it. Only here is the grammar enforced and only here is dropped what comes
//   after disposal: in one atomic word that is the upstream, or the fact that it is over. A `Valve` (take, do) is one with
//   a stage below; `AnonymousObserver` and its like, at the lower end of each subscription, are sinks too, and are the
//   disposable that `subscribe` returns. Sources look whether they are disposed before each element.
// * `Hub` is for several sources: its `Leg`s take turns (`Junction`), without a lock; legs are stopped together.
// * A stage takes from its operator only closures and values, never the source: a subject and its subscribers would
//   keep each other.
// * What is virtual in a generic class is not specialised, and there every generic value built costs a look-up of its
//   type. So the path of an element builds none, and state machines (`Broadcast`, `Junction`) are not generic: queues
//   hold objects, and generic ones are made only when something has to wait. `@inlinable` is where specialisation
//   reaches: the public operator functions, whose closures are then compiled where they are written.
//
// Reading order: Observable, Stage, Sink, Operators/Map, Operators/Take, AnonymousObserver; Junction, Hub, Leg,
// Operators/TakeUntil; Subjects/Broadcast, TypedBroadcast, PublishSubject; Schedulers/Trampoline, Creation/Loop; Lock.
//
// To add an operator: one file in Operators, a producer and its stage; a test in OperatorTests.
