public import RxRecords
internal import RxStore

extension Host {
    /// Forgets keys before their lifetime is over. One whose execution has not ended is left as it is. Must not be
    /// called at the same time as `submit` with one of the keys.
    ///
    /// - Parameters:
    ///   - keys: the keys as their requester wrote them.
    ///   - origin: their requester.
    ///   - action: the action with which they were given.
    /// - Returns: how many of them were known.
    public func forget(_ keys: [String], by origin: Origin, of action: HostedAction) -> Int {
        let forgotten = self.keys.forget(keys.map { ExecutionKey.Identity($0, by: origin) }, of: action.name)
        if !forgotten.isEmpty { services.store?.forgot(forgotten, of: action.name) }
        return forgotten.count
    }
}
