package import Logging

extension Logger {
    /// Logs what became of processes that an earlier daemon left behind.
    package func log(_ orphan: Orphan) {
        let metadata: Metadata = orphan.execution.map { ["execution": "\($0)"] } ?? [:]
        switch orphan.fate {
        case .ended:
            warning("ended processes that an earlier daemon left behind", metadata: metadata)
        case .survived:
            error("processes that an earlier daemon left behind survive SIGKILL", metadata: metadata)
        case .unknown(let reason):
            error(
                """
                processes that an earlier daemon left behind may still run: \(reason); look for RX_LEDGER in \
                /proc/*/environ, or restart rxd to try again
                """, metadata: metadata)
        }
    }
}
