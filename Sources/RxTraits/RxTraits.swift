// RxTraits: sequences for user interfaces, without a UI toolkit: shared among their subscribers, never failing, and
// delivered on the main thread. The names are those of RxCocoa.
//
//     @MainActor
//     final class Search {
//         private(set) var title = ""
//         private let bag = DisposeBag()
//
//         // A driver replays its latest element to a new subscriber; a signal does not.
//         init(results: Driver<[String]>, taps: Signal<Void>) {
//             results.map { "\($0.count) results" }
//                 .drive(onNext: { [weak self] in self?.title = $0 })   // closures may use the state of the main actor
//                 .disposed(by: bag)
//             taps.emit(with: self, onNext: { search, _ in search.title = "" }).disposed(by: bag)
//         }
//     }
//
//     let query = BehaviorRelay(value: "")
//     let results = query.asDriver().debounce(.milliseconds(300)).flatMapLatest { text in
//         Single.just([text]).asDriver(onErrorJustReturn: [])           // an error becomes an element
//     }
//     let taps = PublishRelay<Void>()
//     let search = await Search(results: results, taps: taps.asSignal())
//     print(await search.title)
//
// Rules for users
// * Events arrive on the strategy's scheduler, which is the main thread's for `Driver` and `Signal`. The closures of
//   operators and subscribers are `@MainActor`. `onSubscribe`, `onSubscribed`, `onDispose`, `onDisposed`, and the
//   factory of `deferred` are `@Sendable`: they run wherever someone subscribes or disposes.
// * `drive` must be called on the main thread, because a driver may send its latest element at once. `emit` may be
//   called on any thread.
// * A `@MainActor` closure never runs on another thread: the process traps with a message instead. This happens if
//   `asObservable()` of a driver that replays an element is subscribed to on another thread.
// * In a test, `SharingScheduler.mock` replaces the scheduler of the sequences that are created within it, for example
//   by a `TestScheduler`. Their closures and `drive` then run on any thread, without these checks. The mock belongs to
//   the current task, so tests that run at the same time do not see it.
// * Each operator shares its result: a second subscriber starts no second subscription to the source.
// * A `ControlEvent` is a sequence of events of a control, and a `ControlProperty` is the value of a control, which can
//   be observed and set. A toolkit makes them. The closures of their subscribers are `@MainActor` as well, and those of
//   the operators that return a `MainObservable`, such as `map`, `filter`, and `do`. The closures of other operators
//   are `@Sendable`. `ActionTrigger` of RxAction binds controls to an action.
//
// Reading order: SharedSequence, SharingStrategyProtocol, SharingScheduler, Confinement (and that of Rx); Driver and
// Signal; AsSharedSequence, Values; Operators; Controls.
