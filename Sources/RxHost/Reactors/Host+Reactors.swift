public import RxStore
internal import Rx
internal import RxAction

// The reactors of a host at its start.

extension Host {
    /// Starts all reactors. To be called once, before anything is dispatched to them.
    ///
    /// Throws the first fault, with the name of its reactor.
    public func startReactors() throws(ReactorStartFailure) {
        for reactor in registry.reactors {
            do throws(ReactorFault) {
                try ReactorStart(reactor, as: reactor.definition).start()
            } catch {
                throw ReactorStartFailure(reactor: reactor.name, fault: error)
            }
        }
    }

    /// Asks the engines of all reactors whether they make progress, for a watchdog.
    ///
    /// - Parameter answer: called once, on any thread, when the last engine has answered.
    package func probeReactors(_ answer: @escaping @Sendable () -> Void) -> ReactorRoll {
        ReactorRoll(
            registry.reactors.compactMap { reactor in
                reactor.engine.map { (reactor.name, $0) }
            }, answer: answer)
    }

    /// Stores the states of reactors that persist. To be set once, before the reload that adds the first of them.
    public var stateStore: StateStore? {
        get { services.stateStore }
        set { services.stateStore = newValue }
    }

    /// The number of a user's reads from the stores that have not begun.
    public func waitingReads(of user: UInt32) -> Int {
        (store?.waitingReads(of: user) ?? 0) + (stateStore?.waitingReads(of: user) ?? 0)
    }
}

/// A reactor that could not be started.
public struct ReactorStartFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the reactor.
    public let reactor: String
    /// Why it could not be started.
    public let fault: ReactorFault

    /// What is wrong, as one line.
    public var description: String { "reactor \(reactor): \(fault.text)" }
}
