public import RxPlatform
internal import Rx

extension Host {
    /// Takes a new set of definitions.
    ///
    /// A name that stays keeps its gate, its executions, and its subscribers; a changed definition holds from the next
    /// execution on. A name that is removed takes no more input; its executions in flight or queued continue to their
    /// end. Dispatches to a changed reactor are held until its new engine runs. New reactors are started before this
    /// returns; `prepare` is for callers that cannot wait for that.
    ///
    /// - Parameters:
    ///   - definitions: the actions, all of them.
    ///   - reactors: the reactors, all of them.
    ///   - dryRun: whether nothing is changed.
    /// - Returns: the difference from the definitions that were in force. A host that is stopping takes none.
    @discardableResult
    public func reload(
        _ definitions: [ActionDefinition], reactors: [ReactorDefinition] = [], dryRun: Bool = false
    ) -> RegistryChange {
        if dryRun { return difference(from: definitions, reactors: reactors) }
        let prepared = prepare(definitions, reactors: reactors, on: nil)
        if !prepared.commit() { prepared.abandon() }
        return prepared.change
    }

    /// What a reload with these definitions would change. It starts and changes nothing.
    public func difference(
        from definitions: [ActionDefinition], reactors: [ReactorDefinition] = []
    ) -> RegistryChange {
        RegistryDifference(registry, definitions, reactors).change
    }

    /// Starts everything of a new set of definitions that does not replace something, so that `PreparedReload.commit`
    /// need not wait. That may take long: stored states are read, and mutations replayed. Any thread; one reload at a
    /// time, which ends with `commit`'s `whenDone`.
    ///
    /// - Parameters:
    ///   - definitions: the actions, all of them.
    ///   - reactors: the reactors, all of them.
    ///   - queue: a serial queue on which engines are stopped and started after `commit`; nil for the threads that
    ///     happen to be there.
    public func prepare(
        _ definitions: [ActionDefinition], reactors: [ReactorDefinition] = [], on queue: WorkQueue?
    ) -> PreparedReload {
        PreparedReload(self, RegistryDifference(registry, definitions, reactors), on: queue)
    }
}
