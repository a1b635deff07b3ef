internal import Rx

extension Host {
    /// The actions that are no longer configured and have events in memory or in the log, sorted by name. Their access
    /// is what it was, or nobody's if an earlier host had them.
    public var retiredActions: [HostedAction] {
        retired.withLock { $0.values.sorted { $0.name < $1.name } }
    }

    /// The reactors that are no longer configured and may have events in memory or in the log, sorted by name.
    public var formerReactors: [FormerReactor] {
        formerReactorsByName.withLock { $0.values.sorted { $0.name < $1.name } }
    }

    /// The access to an action by name, also to one that is no longer configured; nil for one this host never had.
    public func access(toActionNamed name: String) -> Access? {
        (registry[name] ?? retired.withLock { $0[name] })?.access
    }

    /// The access to an action or a reactor that is no longer configured; nil for one this host never had.
    public func access(toFormer name: String) -> Access? {
        retired.withLock { $0[name] }?.access ?? formerReactorsByName.withLock { $0[name] }?.access
    }

    /// The names of the actions, configured or not, whose access `isWanted` accepts.
    public func actionNames(where isWanted: (Access) -> Bool) -> Set<String> {
        let gone = retired.withLock { Array($0.values) }
        return Set((registry.actions + gone).filter { isWanted($0.access) }.map(\.name))
    }
}
