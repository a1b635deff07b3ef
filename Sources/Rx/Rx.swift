// Rx: observables, operators, subjects, relays, traits, and schedulers: the ReactiveX API with the names of RxSwift 6.
//
// An `Observable` is a description. Nothing happens until it is subscribed to, and each subscription starts it anew. A
// subscription gets `next* (error | completed)?`, one event at a time, and nothing after its disposal.
//
//     let bag = DisposeBag()
//     let queue = SerialDispatchQueueScheduler(qos: .default)
//
//     // A custom source: a closure that runs for each subscriber and returns a disposable that stops its work.
//     let ticks = Observable<Int>.create { observer in
//         let timer = queue.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { count in
//             observer.onNext(count)
//             return count + 1
//         }
//         return Disposables.create { timer.dispose() }
//     }
//
//     // Operators return new observables. A subscription lives until its end or the end of its bag.
//     ticks
//         .filter { $0 % 2 == 0 }
//         .flatMapLatest { number in Observable.just("tick \(number)").delay(.milliseconds(10), scheduler: queue) }
//         .take(10)
//         .observe(on: MainScheduler.instance)
//         .subscribe(onNext: { print($0) }, onError: { print("failed:", $0) }, onCompleted: { print("done") })
//         .disposed(by: bag)
//
//     // A subject or relay is an observable that code sends elements to. A relay never ends.
//     let name = BehaviorRelay(value: ""), age = BehaviorRelay(value: 0)
//     let isValid = Observable.combineLatest(name, age) { !$0.isEmpty && $1 >= 18 }.distinctUntilChanged()
//     isValid.subscribe(onNext: { print("valid:", $0) }).disposed(by: bag)
//     name.accept("Ada")
//     age.accept(36)
//
//     // Sources are cold: two subscribers start the work twice. Shared, it runs once and replays the latest result.
//     let shared = ticks.map { $0 * $0 }.share(replay: 1, scope: .whileConnected)
//     shared.bind(to: age).disposed(by: bag)
//
//     // Traits restrict the grammar: Single one element, Maybe at most one, Completable none, Infallible no error.
//     let answer: Single<Int> = ticks.take(3).reduce(0, accumulator: +).asSingle()
//     answer.catchAndReturn(-1).subscribe(onSuccess: { print("sum:", $0) }).disposed(by: bag)
//
//     // With async code: canceling the task disposes the subscription.
//     Task {
//         for try await number in ticks.take(3).values { print(number) }
//         print(try await answer.value)
//     }
//     let lengths = name.flatMap(async: { try await Task.sleep(for: .seconds(1)); return $0.count })
//     lengths.subscribe(onNext: { print($0) }).disposed(by: bag)
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
// * Elements are `Sendable` and closures `@Sendable`, so the compiler checks what may run on another thread. A closure
//   that needs the main actor does not compile, except after `observe(on: MainScheduler.instance)`: the closures of the
//   result, a `MainObservable`, are `@MainActor`, and its elementwise operators return that type again.
// * No lock is held during calls of observers, closures, `dispose`, or `connect`, so they cannot deadlock with the
//   library.
// * Subjects and relays are thread-safe and may be sent to during a delivery. Events are delivered one at a time, in
//   one order for all subscribers; an event sent during a delivery follows it. `create` is as serial as its closure.
// * Several sources with available elements on one thread alternate (`combineLatest(of(1, 2), of(3, 4))`).
// * The disposable that `create` returns is disposed exactly once. After disposal, a delivery that another thread has
//   begun may still be running.
// * A bag keeps only live subscriptions. An error without a handler goes to `Hooks.defaultErrorHandler`.
// * For debugging, `debug()` prints the events at one point, and `Hooks.trace(of:)` lists the operators of a
//   subscription.
// * Buffers have a limit if you set one: `observe(on:buffering:)`, `values(buffering:)`, `replay(n)`, `buffer`.
//
// Marble diagrams in doc comments
//  source              --1--2-----|    an input: its name, two or more spaces, what happens; a column is a frame
//  again                     -3--|     this line begins later: the sequence is subscribed to at frame 6
//  map { $0 * 10 }     --10-20----|    a result, named by the call; durations are frames, a scheduler may be left out
//  share(replay: 1)                    a call alone, if several lines show its results; these are indented
//    second                (^1)-2--|
// * `-` is time, `|` completion, `#` an error, `^` a subscription, `!` a disposal. Anything else is an element, at the
//   frame of its first character. `(1 2|)` is several events at the frame of the `(`.
// * `MarbleTests` replays each diagram with the operator. `.ci/marbles` draws it for DocC.
//
// Implementation
// * `ObservableConvertibleType` > `ObservableType` > `Observable` > `Producer` > the operator. An operator is a
//   producer that stores its parameters; `run(_:)` puts a `Stage` above the given one and runs its source into that.
// * A `Stage` is one step of a subscription: the observer of the step above and the link to the one below. Events go
//   down as three direct calls: next, error, completed. The disposable that stops the source goes down once before
//   them, by `attach`. A `Pass` (map, filter, scan) does not keep it, so disposal skips that stage.
// * A `Sink` is a stage that owns the stages above. Only a sink or a `Terminal` enforces the grammar and drops events
//   after disposal, with one atomic word that holds the upstream or the ended state. A `Valve` (take, do) is a sink
//   with a stage below. `create` makes an `AnonymousObservable`. Sources check for disposal before each element.
// * A `Terminal` is the lower end of a subscription and holds the observer (`AnonymousObserver` and similar). Its
//   atomic word is in a `SubscriptionDisposable`, the result of `subscribe`. The chain above holds the terminal. The
//   subscriber holds the disposable, which holds no closure except `onDisposed`. The end of a subscription releases the
//   chain and with it the observer, even if the subscriber keeps the disposable. A delivery in progress keeps the chain
//   until it returns.
// * A `Hub` handles several sources: its `Leg`s take turns (`Junction`) without a lock and are stopped together.
// * A stage takes only closures and values from its operator, never the source; otherwise a subject and its subscribers
//   would retain each other.
// * Virtual methods of generic classes are not specialized, and each generic value created there costs a type lookup.
//   The path of an element therefore creates none, and state machines (`Broadcast`, `Junction`) are not generic: queues
//   hold objects, and generic ones are created only when an event has to wait. `@inlinable` marks the code that can be
//   specialized: the public operator functions, whose closures are compiled at the call.
//
// Reading order: Observable, Stage, Sink, Operators/Map, Operators/Take; SubscriptionDisposable, Terminal,
// AnonymousObserver; Junction, Hub, Leg, Operators/TakeUntil; Subjects/Broadcast, TypedBroadcast, PublishSubject;
// Sharing/Generation, RefCount; Traits/PrimitiveSequence; MainActor/MainObservable, MainActor/Confinement;
// Schedulers/Trampoline, Creation/Loop, Schedulers/VirtualTimeScheduler, Schedulers/ClockScheduler; Lock.
//
// To add an operator: one file in Operators with a producer and its stage; a marble diagram in its doc comment, and its
// replay in Tests/MarbleTests; a table in virtual time in Tests/RxTests; a case in the model of the property tests; a
// use in Tests/Vocabulary.
