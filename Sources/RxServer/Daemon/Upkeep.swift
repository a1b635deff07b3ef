package import Logging
package import RxHost
internal import RxStore

extension Host {
    /// Begins what stores do once clients are served: they check their rows, and the files that the last daemon closed
    /// for damage, and shorten the histories of reactors that are not configured if there is no room. May be called
    /// again, after a store was added.
    ///
    /// - Parameter logger: receives damage that is found.
    package func beginUpkeep(_ logger: Logger) {
        let report: @Sendable (StoreError) -> Void = { error in
            switch error {
            case .unreadable, .unchecked: logger.warning("\(error)")
            case _:
                logger.critical(
                    """
                    damage found while running: what rxd reads from this file may be incomplete or wrong; the next \
                    start will be refused. Stop rxd soon. \(error)
                    """)
            }
        }
        store?.checkInBackground(onDamage: report)
        stateStore?.checkInBackground(onDamage: report)
        stateStore?.releaseOthers()
    }
}
