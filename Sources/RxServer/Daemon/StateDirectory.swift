package import Logging
package import RxPlatform
package import RxAction
package import RxStore

/// The databases of a daemon: `rxd.db` for executions, `reactors.db` for the states of reactors.
///
/// The stores log writes that fail.
package struct StateDirectory: Sendable {
    package let path: String
    private let logger: Logger
    private let recovers: Bool
    private let platform: Platform

    /// - Parameter recovers: whether to continue without what is damaged or missing.
    package init(path: String, logger: Logger, recovers: Bool = false, platform: Platform) {
        self.platform = platform
        self.path = path
        self.recovers = recovers
        self.logger = logger
    }

    /// Makes the directory (mode 0700) if it is missing; the stores report every other failure.
    package func make() { _ = platform.disk.makeDirectory(path, 0o700) }

    /// Throws `StoreError.inUse` if another process has the state in the directory `path`. Changes nothing.
    package static func checkFree(_ path: String, on disk: Disk) throws(StoreError) {
        try ExecutionStore.checkFree(path + "/rxd.db", on: disk)
    }

    /// - Parameters:
    ///   - retention: which ended executions stay in the history.
    ///   - onInterrupted: called with the executions that a killed daemon has not ended, before the store records
    ///     their end.
    package func openExecutions(
        _ retention: ExecutionStore.Retention, onInterrupted: ([ExecutionID]) -> Void = { _ in }
    ) throws(StoreError) -> ExecutionStore {
        let store = try ExecutionStore(
            path: path + "/rxd.db", retention: retention, recovers: recovers, platform: platform,
            onInterrupted: onInterrupted,
            onFailure: { [logger] in logger.error("the state could not be written: \($0)") })
        log(store.losses)
        return store
    }

    /// - Parameter mostBytes: the most bytes of the histories of all reactors together.
    package func openReactors(mostBytes: Int = StateStore.defaultBytes) throws(StoreError) -> StateStore {
        let store = try StateStore(
            path: path + "/reactors.db", mostBytes: mostBytes, recovers: recovers, platform: platform,
            onFailure: { [logger] in logger.error("the states of reactors could not be written: \($0)") })
        log(store.losses)
        return store
    }

    private func log(_ losses: [StateLoss]) {
        for loss in losses { logger.warning("\(loss)") }
    }
}
