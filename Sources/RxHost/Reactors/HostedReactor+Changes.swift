internal import RxStore
internal import Rx
internal import RxJSON

// From one definition of a reactor to the next: at a reload.

extension HostedReactor {
    /// Another definition holds from now on. If it makes other states, its engine goes on from the state that there is; so
    /// it does where states are to be kept that were not: between two engines no step comes in between the state and its
    /// log.
    ///
    /// - Parameter completion: with what is wrong, if the new engine does not take that state: then the old definition
    ///   stays, with an engine of its own.
    func change(to definition: ReactorDefinition, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let isFirst = current.withLock { current -> Bool in
            let from = current.changes.last?.to ?? current.definition
            current.changes.append(Change(from: from, to: definition, completion: completion))
            current.definition = definition
            defer { current.isChanging = true }
            return !current.isChanging
        }
        // Of those that come while an engine is stopped or started, each has its turn.
        if isFirst { takeChanges() }
    }

    /// One after the other, and each from here, however many there are.
    private func takeChanges() {
        enum Progress {
            case under
            case over
            /// By now somebody else has it, who then takes the next.
            case left
        }
        func next() -> Change? {
            current.withLock { current in
                current.isChanging = !current.changes.isEmpty
                return current.changes.first
            }
        }
        while let change = next() {
            let progress = Locked(Progress.under)
            take(change) { [self] fault in
                finish(change, fault)
                let wasLeft = progress.withLock { progress in
                    defer { progress = .over }
                    return progress == .left
                }
                if wasLeft { takeChanges() }
            }
            let isOver = progress.withLock { progress in
                if progress == .under { progress = .left }
                return progress == .over
            }
            guard isOver else { return }
        }
    }

    private func take(_ change: Change, _ whenTaken: @escaping @Sendable (ReactorFault?) -> Void) {
        enum Way {
            case replace(any ReactorEngine, Outlet)
            case start
            case none
        }
        let way = current.withLock { current -> Way in
            let way: Way
            let beginsToKeep = change.to.persistence != nil && current.log == nil && services.stateStore != nil
            switch current.phase {
            case .running(let engine, let outlet)
            where change.from.fingerprint != change.to.fingerprint || beginsToKeep:
                way = .replace(engine, outlet)
            case .failed: way = .start
            case .running, .waiting, .stopped: return .none
            }
            current.phase = .waiting([])
            current.isReplacing = true
            return way
        }
        switch way {
        case .none:
            if let persistence = change.to.persistence { keptLog?.persistence = persistence } else { keptLog = nil }
            whenTaken(nil)
        case .start: whenTaken(goOn(change))
        case .replace(let engine, let outlet):
            engine.stop { [self] in
                outlet.close()
                guard isStopped else { return whenTaken(goOn(change)) }
                finishStopping()
                whenTaken(nil)
            }
        }
    }

    /// Nothing runs at the moment.
    ///
    /// - Returns: why the change is not made.
    private func goOn(_ change: Change) -> ReactorFault? {
        guard let begun else {
            do throws(ReactorFault) {
                try startKept(as: change.to)
                return nil
            } catch {
                fail(error)
                return error
            }
        }
        let state = begun.state.tree
        do throws(ReactorFault) {
            try goOn(from: state, revision: begun.revision, as: change.to)
            return nil
        } catch {
            let fault = error
            if let persistence = change.from.persistence { keptLog?.persistence = persistence }
            // It took this state before.
            do throws(ReactorFault) {
                try start(from: state, revision: begun.revision, as: change.from)
            } catch {
                fail(error)
            }
            return fault
        }
    }

    /// It has no engine, and says so to whoever dispatches.
    func fail(_ fault: ReactorFault) {
        let held = current.withLock { current -> [Dispatch]? in
            guard case .waiting(let held) = current.phase else { return nil }
            current.phase = .failed(fault)
            return held
        }
        guard let held else { return finishStopping() }
        for dispatch in held { answer(dispatch.completion, .failure(.failed(fault))) }
    }

    private func finish(_ change: Change, _ fault: ReactorFault?) {
        current.withLock { current in
            current.changes.removeFirst()
            current.isReplacing = false
            guard fault != nil else { return }
            // What comes next comes from there.
            if let next = current.changes.first {
                current.changes[0] = Change(from: change.from, to: next.to, completion: next.completion)
            } else {
                current.definition = change.from
            }
        }
        change.completion(fault)
    }
}
