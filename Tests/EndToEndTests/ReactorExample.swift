import Rx
import RxReactor

/// The example of `RxReactor` in docs/library.md. A test compares the two and runs this one.
func reactorExample(print: @escaping @Sendable (Any) -> Void) {
    // Document: begin
    final class LightSwitch: Reactor {
        enum Action { case on, off, toggle }
        enum Mutation { case turn(on: Bool) }
        struct State { var isOn = false, switched = 0 }

        let initialState = State()
        let store = Store()

        func mutate(action: Action) -> Observable<Mutation> {  // may take its time, and yield any number
            switch action {
            case .on: .just(.turn(on: true))
            case .off: .just(.turn(on: false))
            case .toggle: .just(.turn(on: !currentState.isOn))
            }
        }

        func reduce(state: State, mutation: Mutation) -> State {
            switch mutation {
            case .turn(let isOn): State(isOn: isOn, switched: state.switched + 1)
            }
        }
    }

    let light = LightSwitch()
    let disposable = light.state.map(\.isOn).subscribe(onNext: { print($0) })  // prints false
    light.action.onNext(.toggle)  // prints true
    // Document: end
    disposable.dispose()
}
