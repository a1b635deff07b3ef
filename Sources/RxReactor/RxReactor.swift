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
// Reading order: Reactor, ReactorStore, ReactorEngine (what happens when), ReactorExecutor (where), Transform, MutateSink,
// ReactorError, Reactor+Hosting, ActionSubject, StateRelay, Stub, Pulse, IdentityEquatable.
