// RxReactor: state machines that take actions, turn them into mutations, and reduce those to states.
//
//     final class Counter: Reactor {
//         enum Action { case increase, reset }
//         enum Mutation { case add(Int), clear }
//         struct State { var value = 0 }
//
//         let initialState = State()
//         let store = Store()
//
//         func mutate(action: Action) -> Observable<Mutation> {
//             switch action {
//             case .increase: .just(.add(1))
//             case .reset: .just(.clear)
//             }
//         }
//
//         func reduce(state: State, mutation: Mutation) -> State {
//             var state = state
//             switch mutation {
//             case .add(let number): state.value += number
//             case .clear: state.value = 0
//             }
//             return state
//         }
//     }
//
//     let counter = Counter()
//     let values = counter.state.map(\.value).subscribe(onNext: { print($0) })  // prints 0
//     counter.action.onNext(.increase)  // prints 1
//     values.dispose()
//
// An action passes through transform(action:), mutate, transform(mutation:), reduce, and transform(state:). The default
// of each passes its input on. A reactor without a Mutation type reduces its actions.
//
// Rules for users
// * `let store = Store()` is the only boilerplate. It holds the reactor's mutable state and is released with the
//   reactor: the streams complete and running work is disposed. Closures that a transform or a `mutate` stores must not
//   retain the reactor: use `[weak self]`.
// * The first use of `action` or `state` starts the reactor. From then on it processes actions, with or without
//   subscribers.
// * Turns: actions are processed completely, one at a time, on the thread of the first caller; no caller blocks. An
//   action that arrives meanwhile, from another thread, a subscriber, or `reduce`, is processed afterwards, so `onNext`
//   may return before its action's turn. A reactor with its own `scheduler` takes turns there, and at once if the
//   caller is already there. The queue of actions is unbounded: a caller that forwards actions from outside must limit
//   them.
// * `reduce` runs right after each mutation, before the next one is made, so `currentState` in a `mutate` reflects its
//   previous mutations. A stream that is merged into a transform and emits on other threads can come in between, unless
//   it is observed on `executor`.
// * `state` replays its latest value; `currentState` is that value. `reduce` receives its own last result, not the
//   output of `transform(state:)`.
// * `errors` emits the failures of `mutate` and the transforms, and the reactor continues. A failed transform is
//   subscribed to again, so its side effects start again; only the element that failed is lost. If it fails again at
//   once, it is retried with each element: put the reactor's own stream first, `.merge(mutation, others)`, and it
//   continues without the others. Errors without a subscriber go to `Hooks.defaultErrorHandler`. A transform that
//   completes stays complete.
// * `pulse(\.$x)` emits every assignment of a `@Pulse` property. `stub` replaces the reactor in tests of code bound to
//   it.
// * Lists in a state should be `KeyedList`s. Their `keyedChanges()` emits insertions, deletions, moves, and updates by
//   identity, at a cost that follows the size of the change. Arrays have it too, at a cost that follows their length.
//
// Hosting a reactor (Reactor+Hosting): `restore` before the first use; `dispatch(_:tag:ended:)` for an action whose end
// is reported; `transitions` for each mutation with the state after it and the tag of its dispatch, in order, before
// `state` and before that end; `failures` for the errors with those tags; `snapshot` for the state and its revision;
// `replay(_:)` for stored mutations; `release` to end the reactor early.
//
// Showing a reactor: a class that conforms to `ReactorHost` declares `let hosting = Hosting()` and implements
// `bind(reactor:)`. Each assignment of its `reactor` disposes what was bound before and binds the new one.
//
// RxTodo is the worked example.
//
// Reading order: Reactor, ReactorStorage, Reactor+Store, ReactorStore, ReactorStart, ReactorCore
// (what happens when), ReactorExecutor (where), ReactorLink, WeakReactor, Transform, MutateSink, ReactorError,
// Reactor+Hosting, ReactorTransition, DispatchTicket; ActionSubject, StateRelay, Stub, Pulse, IdentityEquatable,
// IdentityHashable; ReactorHost, ReactorHosting; Keyed: KeyedChanges, KeyedListEvent, KeyedList, KeyedList+Changes,
// KeyedTable, then KeyedDifference, KeyedWalk, and LongestIncrease.
