import RxPlatform

@testable import RxProcess

extension ProcessLedger {
    /// Opens the ledger of a directory. Other tests start processes meanwhile, and each of those shares the lock of
    /// this one until it runs its program, on a busy machine for seconds.
    static func opened(in directory: String) throws -> ProcessLedger {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try ProcessLedger(stateDirectory: directory, platform: .system)
            } catch {
                guard error.isInUse, ContinuousClock.now < deadline else { throw error }
            }
        }
    }
}
