public import RxStore
internal import Rx
internal import RxAction

// The reactors of a host, from its start to its reloads.

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

    /// Stores the states of reactors that persist. To be set once, before the reload that adds the first of them.
    public var stateStore: StateStore? {
        get { services.stateStore }
        set { services.stateStore = newValue }
    }

    struct ReactorReload {
        var reactors: [HostedReactor] = []
        var added: [HostedReactor] = []
        var changed: [(reactor: HostedReactor, to: ReactorDefinition)] = []
        var removed: [HostedReactor] = []
    }

    /// Finds what has to be changed; `finish` changes it.
    func reload(_ definitions: [ReactorDefinition], _ change: inout RegistryChange) -> ReactorReload {
        let old = registry
        var reload = ReactorReload()
        for definition in definitions {
            guard let reactor = old.reactor(definition.name) else {
                change.added.append(definition.name)
                reload.added.append(HostedReactor(definition, services))
                continue
            }
            reload.reactors.append(reactor)
            if reactor.definition.isSame(as: definition), reactor.failure == nil {
                change.unchanged.append(definition.name)
            } else {
                change.changed.append(definition.name)
                reload.changed.append((reactor, definition))
            }
        }
        let names = Set(definitions.map(\.name))
        reload.removed = old.reactors.filter { !names.contains($0.name) }
        reload.reactors += reload.added
        change.removed += reload.removed.map(\.name)
        change.added.sort()
        change.changed.sort()
        change.removed.sort()
        change.unchanged.sort()
        return reload
    }

    func finish(_ reload: ReactorReload) {
        let time = services.time
        for (reactor, definition) in reload.changed {
            ReactorReplacement(reactor).change(to: definition) { [services] fault in
                if var fault {
                    if reactor.failure == nil {
                        fault.message = "the new definition was refused, the old one stays: \(fault.message)"
                    }
                    services.onReactorFault?(reactor.name, fault)
                }
                services.log.changed(reactor, at: time)
            }
        }
        for reactor in reload.added {
            do throws(ReactorFault) {
                try ReactorStart(reactor, as: reactor.definition).start()
            } catch {
                reactor.fail(error)
                services.onReactorFault?(reactor.name, error)
            }
            log.added(reactor, at: time)
        }
        for reactor in reload.removed {
            log.removed(reactor, at: time)
            reactor.stop {}
        }
    }
}

/// A reactor that could not be started.
public struct ReactorStartFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the reactor.
    public let reactor: String
    /// Why it could not be started.
    public let fault: ReactorFault

    /// What is wrong, as one line.
    public var description: String { "reactor \(reactor): \(fault.message)" }
}

extension ReactorDefinition {
    fileprivate func isSame(as other: ReactorDefinition) -> Bool {
        fingerprint == other.fingerprint && settings == other.settings && access == other.access
            && persistence == other.persistence && stateBytes == other.stateBytes && summary == other.summary
    }
}
