import Rx
import RxReactor

/// A switch: the smallest reactor with mutations of its own.
final class Light: Reactor {
    enum Action { case toggle, set(Bool) }
    enum Mutation { case setOn(Bool) }
    struct State: Equatable {
        var isOn = false
        var count = 0
    }

    let initialState = State()
    let store = Store()

    func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .toggle: .just(.setOn(!currentState.isOn))
        case .set(let value): .just(.setOn(value))
        }
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .setOn(let value): state.isOn = value
        }
        state.count += 1
        return state
    }
}
