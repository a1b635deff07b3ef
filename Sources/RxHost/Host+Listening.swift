public import RxJSON

extension Host {
    /// All elements of the action of a name from now on, whoever executes it, and also when it is configured anew.
    ///
    /// - Parameter body: called on the work's thread, outside of any lock; it must not wait.
    /// - Returns: to be called when it shall hear nothing more.
    public func listen(
        toElementsOf action: String, _ body: @escaping @Sendable (RawJSON) -> Void
    ) -> @Sendable () -> Void {
        services.elementListeners.add(action, body)
    }

    /// The state of the reactor of a name, now, when it starts, and at each change.
    ///
    /// - Parameter body: called on the engine's thread, outside of any lock; it must not wait.
    /// - Returns: to be called when it shall hear nothing more.
    public func listen(
        toStatesOf reactor: String, _ body: @escaping @Sendable (any ReactorState) -> Void
    ) -> @Sendable () -> Void {
        let cancel = services.stateListeners.add(reactor, body)
        if let known = registry.reactor(reactor), known.isRunning { body(known.now.state) }
        return cancel
    }
}
