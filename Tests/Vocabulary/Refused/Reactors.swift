import Rx
import RxReactor

// refused: type 'Storeless' does not conform to protocol 'ReactorProtocol'
final class Storeless: Reactor {
    enum Action { case increase }
    let initialState = 0
    func reduce(state: Int, mutation: Action) -> Int { state + 1 }
}

final class Mutable: Reactor {
    enum Action { case increase }
    let initialState = 0
    let store = Store()
    // refused: stored property 'requests' of 'Sendable'-conforming class 'Mutable' is mutable
    var requests = 0
    func reduce(state: Int, mutation: Action) -> Int { state + 1 }
}
