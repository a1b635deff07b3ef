internal import Rx

// The start of a core, the only part of it that knows the type of its reactor.

extension ReactorStore {
    /// Starts the core of `reactor` unless it has started.
    func start<R: ReactorProtocol>(_ reactor: R)
    where R.Action == Action, R.Mutation == Mutation, R.State == State {
        if !core.isStarted { core.start(reactor) }
    }
}

extension ReactorCore {
    // A separate function because this path is rare: see `ReactorCore`.
    @inline(never)
    fileprivate func start<R: ReactorProtocol>(_ reactor: R)
    where R.Action == Action, R.Mutation == Mutation, R.State == State {
        start(on: reactor.scheduler) { begin(reactor) }
    }

    /// Connects the core to `reactor`. Called in the first turn.
    private func begin<R: ReactorProtocol>(_ reactor: R)
    where R.Action == Action, R.Mutation == Mutation, R.State == State {
        connect(to: WeakReactor(reactor))
        let actionTransform = Transform(reactor.transform(action:), executor) { [weak self] action in
            self?.arrived(action: action)
        } fail: { [weak self] error in
            self?.arrived(error: .transformAction(error))
        }
        let mutationTransform = Transform(reactor.transform(mutation:), executor) { [weak self] mutation in
            self?.arrived(transformed: mutation)
        } fail: { [weak self] error in
            self?.arrived(error: .transformMutation(error))
        }
        let stateTransform = Transform(
            reactor.transform(state:), executor, latest: { [weak self] in self?.snapshot?.state }
        ) { [weak self] state in
            self?.arrived(state: state)
        } fail: { [weak self] error in
            self?.arrived(error: .transformState(error))
        }
        begin(actionTransform, mutationTransform, stateTransform) { reactor.initialState }
    }
}
