package import Logging
package import RxPlatform
package import RxStore

/// The databases of a daemon: `rxd.db` for executions, `reactors.db` for the states of reactors.
///
/// The stores log writes that fail.
package struct StateDirectory: Sendable {
    package let path: String
    private let logger: Logger
    private let platform: Platform

    package init(path: String, logger: Logger, platform: Platform) {
        self.platform = platform
        self.path = path
        self.logger = logger
    }

    /// Makes the directory (mode 0700) if it is missing; the stores report every other failure.
    package func make() { _ = platform.disk.makeDirectory(path, 0o700) }

    package func openExecutions(_ retention: ExecutionStore.Retention) throws(StoreError) -> ExecutionStore {
        try ExecutionStore(
            path: path + "/rxd.db", retention: retention, platform: platform,
            onFailure: { [logger] in logger.error("the state could not be written: \($0)") })
    }

    package func openReactors() throws(StoreError) -> StateStore {
        try StateStore(
            path: path + "/reactors.db", platform: platform,
            onFailure: { [logger] in logger.error("the states of reactors could not be written: \($0)") })
    }
}
