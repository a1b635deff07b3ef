// Rx: observables, operators, subjects, relays, traits and schedulers: the ReactiveX vocabulary, in the words of RxSwift 6.
//
// An `Observable` is a description. Nothing happens until someone subscribes, each subscription starts it anew, and each
// receives `next* (error | completed)?`, one event at a time, and nothing once it was disposed.
//
//     let bag = DisposeBag()
//     let queue = SerialDispatchQueueScheduler(qos: .default)
//
//     // A source of one's own: a closure that is run for each subscriber and returns what stops its work.
//     let ticks = Observable<Int>.create { observer in
//         let timer = queue.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { count in
//             observer.onNext(count)
//             return count + 1
//         }
//         return Disposables.create { timer.dispose() }
//     }
//
//     // Operators make new observables of it; a subscription lives as long as the bag that keeps it, or as it goes on.
//     ticks
//         .filter { $0 % 2 == 0 }
//         .flatMapLatest { number in Observable.just("tick \(number)").delay(.milliseconds(10), scheduler: queue) }
//         .take(10)
//         .observe(on: MainScheduler.instance)
//         .subscribe(onNext: { print($0) }, onError: { print("failed:", $0) }, onCompleted: { print("done") })
//         .disposed(by: bag)
//
//     // A subject or relay is an observable that one sends to by hand. A relay never ends.
//     let name = BehaviorRelay(value: ""), age = BehaviorRelay(value: 0)
//     let isValid = Observable.combineLatest(name, age) { !$0.isEmpty && $1 >= 18 }.distinctUntilChanged()
//     isValid.subscribe(onNext: { print("valid:", $0) }).disposed(by: bag)
//     name.accept("Ada")
//     age.accept(36)
//
//     // Work is cold: two subscribers would do it twice. Shared, it is done once, and the latest result replayed.
//     let shared = ticks.map { $0 * $0 }.share(replay: 1, scope: .whileConnected)
//     shared.bind(to: age).disposed(by: bag)
//
//     // Traits say how many elements there will be: Single one, Maybe one or none, Completable none, Infallible no error.
//     let answer: Single<Int> = ticks.take(3).reduce(0, accumulator: +).asSingle()
//     answer.catchAndReturn(-1).subscribe(onSuccess: { print("sum:", $0) }).disposed(by: bag)
//
//     // Into async code and back; whoever cancels the task disposes the subscription.
//     Task {
//         for try await number in ticks.take(3).values { print(number) }
//         print(try await answer.value)
//     }
//
// Choosing
//   one after the other     concat, concatMap, startWith          as they come       merge, flatMap
//   the newest wins         flatMapLatest, switchLatest            the first wins     flatMapFirst, amb
//   the latest of each      combineLatest, withLatestFrom          pair by pair       zip
//   calm down               throttle, debounce, sample             cut in pieces      buffer, window, groupBy
//   until when              take, take(until:), take(while:)       give up            timeout
//   after an error          catch, catchAndReturn, retry, retry(when:)
//   one work for many       share, publish, replay, multicast, refCount
//   where                   observe(on:) for the events, subscribe(on:) for starting and disposing
//
// Rules
// * Elements are `Sendable` and closures `@Sendable`: the compiler checks what may run on another thread. A closure that
//   needs the main actor is refused; hop with `observe(on: MainScheduler.instance)` and say `MainActor.assumeIsolated`.
// * No lock is ever held while an observer, a closure, a `dispose` or a `connect` runs: none can deadlock with the library.
// * Subjects and relays take events from several threads and from within a delivery: they are delivered one at a time, in
//   one order for all, and one sent from within a delivery comes after it. `create` is as serial as its closure.
// * Several sources that are ready on one thread take turns, an element each (`combineLatest(of(1, 2), of(3, 4))`).
// * What `create` returns is disposed exactly once. A disposed subscription may still be inside of the delivery that was
//   under way on another thread.
// * A bag keeps live subscriptions only. An error that nobody handles goes to `Hooks.defaultErrorHandler`.
// * To see what happens: `debug()` prints the events of a place; `Hooks.trace(of:)` tells what a live subscription is made of.
// * What can pile up has a bound if you name one: `observe(on:buffering:)`, `values(buffering:)`, `replay(n)`, `buffer`.
//
// How it is built
// * `ObservableConvertibleType` > `ObservableType` > `Observable` > `Producer` > the operator. An operator is a producer
//   that holds its parameters; `run(_:)` puts a `Stage` on top of the one it is given and runs its source into that.
// * `Stage` is one object a step of a subscription: observer of the step above and link to the one below. Events go down by
//   three direct calls, next, error, completed; what stops the source goes down once, before them, as `attach`. A `Pass`
//   (map, filter, scan) keeps nothing of it, so disposing jumps over it.
// * `Sink` is a stage that owns what is above it. Only here is the grammar enforced and only here is dropped what comes
//   after disposal: in one atomic word that is the upstream, or the fact that it is over. A `Valve` (take, do) is one with
//   a stage below. `create` makes an `AnonymousObservable`. Sources look whether they are disposed before each element.
// * `Terminal` is the lower end of each subscription and holds the observer (`AnonymousObserver` and its like). It has that
//   word in a `SubscriptionDisposable`, which is what `subscribe` returns. The chain above holds the terminal; the
//   subscriber holds the disposable, which holds no closure but `onDisposed`. The end of a subscription releases the
//   chain and with it the observer, even if the subscriber keeps the disposable. A delivery in progress keeps the chain
//   until it returns.
// * `Hub` is for several sources: its `Leg`s take turns (`Junction`), without a lock; legs are stopped together.
// * A stage takes from its operator only closures and values, never the source: a subject and its subscribers would
//   keep each other.
// * What is virtual in a generic class is not specialised, and there every generic value built costs a look-up of its
//   type. So the path of an element builds none, and state machines (`Broadcast`, `Junction`) are not generic: queues
//   hold objects, and generic ones are made only when something has to wait. `@inlinable` is where specialisation
//   reaches: the public operator functions, whose closures are then compiled where they are written.
//
// Reading order: Observable, Stage, Sink, Operators/Map, Operators/Take; SubscriptionDisposable, Terminal,
// AnonymousObserver; Junction, Hub, Leg, Operators/TakeUntil; Subjects/Broadcast, TypedBroadcast, PublishSubject;
// Sharing/Generation, RefCount; Traits/PrimitiveSequence; Schedulers/Trampoline, Creation/Loop,
// Schedulers/VirtualTimeScheduler; Lock.
//
// To add an operator: one file in Operators, a producer and its stage; its marbles in the doc comment; its table in virtual
// time in Tests/RxTests; a case in the model of the property tests; its use in Tests/Vocabulary.
