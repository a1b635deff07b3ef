internal import Glibc
package import Logging
package import RxStore

/// The databases of a daemon: `rxd.db` for executions, `reactors.db` for the states of reactors.
///
/// The stores log writes that fail.
package struct StateDirectory: Sendable {
    package let path: String
    private let logger: Logger

    package init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// Makes the directory (mode 0700) if it is missing; the stores report every other failure.
    package func make() { mkdir(path, 0o700) }

    package func openExecutions(_ retention: ExecutionStore.Retention) throws(StoreError) -> ExecutionStore {
        try ExecutionStore(
            path: path + "/rxd.db", retention: retention,
            onFailure: { [logger] in logger.error("the state could not be written: \($0)") })
    }

    package func openReactors() throws(StoreError) -> StateStore {
        try StateStore(
            path: path + "/reactors.db",
            onFailure: { [logger] in logger.error("the states of reactors could not be written: \($0)") })
    }
}
