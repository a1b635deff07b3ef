import Rx
import RxReactor

/// A reactor over texts whose every part a test gives as a closure; what is not given passes things on.
final class Probe: Reactor {
    typealias Action = String
    typealias Mutation = String
    typealias State = [String]
    typealias Transform = @Sendable (Observable<String>) -> Observable<String>

    let initialState: [String]
    let store = Store()
    let scheduler: any Scheduler
    private let onMutate: @Sendable (Probe, String) -> Observable<String>
    private let onReduce: @Sendable (Probe, [String], String) -> [String]
    private let onAction: Transform
    private let onMutation: Transform
    private let onState: @Sendable (Observable<[String]>) -> Observable<[String]>

    init(
        _ initialState: [String] = [],
        scheduler: any Scheduler = CurrentThreadScheduler.instance,
        action: @escaping Transform = { $0 },
        mutate: @escaping @Sendable (Probe, String) -> Observable<String> = { _, action in .just(action) },
        mutation: @escaping Transform = { $0 },
        reduce: @escaping @Sendable (Probe, [String], String) -> [String] = { _, state, mutation in state + [mutation]
        },
        state: @escaping @Sendable (Observable<[String]>) -> Observable<[String]> = { $0 }
    ) {
        self.initialState = initialState
        self.scheduler = scheduler
        onAction = action
        onMutate = mutate
        onMutation = mutation
        onReduce = reduce
        onState = state
    }

    func transform(action: Observable<String>) -> Observable<String> { onAction(action) }
    func mutate(action: String) -> Observable<String> { onMutate(self, action) }
    func transform(mutation: Observable<String>) -> Observable<String> { onMutation(mutation) }
    func reduce(state: [String], mutation: String) -> [String] { onReduce(self, state, mutation) }
    func transform(state: Observable<[String]>) -> Observable<[String]> { onState(state) }

    /// The current state in one text.
    var text: String { currentState.joined(separator: " ") }
}
