// RxReactor: state machines that take actions, make mutations of them and reduce those to states.
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
// An action goes through transform(action:), mutate, transform(mutation:), reduce and transform(state:); what is not written
// passes things on. Without mutations of its own a reactor reduces its actions.
//
// Rules for users
// * `let store = Store()` is all there is of ceremony. What changes of a reactor is in there: so it goes when the reactor
//   goes, its streams complete and what is under way is disposed. A closure that a transform or a `mutate` keeps must not keep
//   the reactor: `[weak self]`.
// * The streams are made at the first use of `action` or `state`; from then on actions are processed, subscribed or not.
// * Turns: one action at a time, all of it, on the thread of whoever comes first; nobody waits. An action sent meanwhile, from
//   another thread, a subscriber or `reduce`, comes after it, so `onNext` may return before its action has had its turn. With
//   a `scheduler` of its own the reactor takes its turns there, and at once for who is there already. Nothing limits how many
//   actions wait: who takes them from elsewhere bounds them.
// * `reduce` runs right after each mutation, before the next is made: what a `mutate` reads from `currentState` is what its
//   mutations before have led to. A stream that is merged into a transform and sends from other threads can come in between
//   there, unless it is observed on `executor`.
// * `state` replays the latest; `currentState` is that. `reduce` gets what it has returned before, not what
//   `transform(state:)` made of that.
// * Errors: `errors` has what `mutate` and the transforms fail with, and the reactor lives on. A transform that failed is
//   subscribed again, so what it starts it starts anew; only what it failed with is lost. If it fails again at once it is
//   tried again with each element: put the reactor's own stream first, `.merge(mutation, others)`, and it goes on without
//   the others. Errors that nobody is subscribed for go to `Hooks.defaultErrorHandler`. A transform that completes is over.
// * `pulse(\.$x)` tells each assignment of a `@Pulse` property. `stub` stands in for the reactor in tests of what it is bound to.
// * Lists in a state are `KeyedList`s: `keyedChanges()` of them tells insertions, deletions, moves and updates by identity, at
//   a cost that follows the change; of arrays too, at a cost that follows their length.
//
// Hosting a reactor (Reactor+Hosting): `restore` before the first use; `dispatch(_:tag:ended:)` for an action whose end is
// told; `transitions` for each mutation with the state after it and the tag of its dispatch, in order, before the states and
// before that end; `failures` for the errors with those tags; `snapshot` for both the state and how many mutations led there;
// `replay(_:)` for mutations that were kept; `release` for an end before the reactor goes.
//
// The worked example is RxTodo.
//
// Reading order: Reactor, ReactorStore, ReactorCore, ReactorCore+Turns (what happens when), ReactorExecutor (where), Transform, MutateSink,
// ReactorError, Reactor+Hosting, ReactorTransition, DispatchTicket; ActionSubject, StateRelay, Stub, Pulse, IdentityEquatable;
// Keyed: KeyedChange, KeyedChanges, KeyedListEvent, KeyedList, then KeyedDifference, KeyedWalk and LongestIncrease.
