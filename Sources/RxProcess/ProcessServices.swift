package import RxLoop

/// The services that all processes share: the loop for their pipes, their base environment, the ledger, and the log.
package final class ProcessServices: Sendable {
    let loop: EventLoop
    let ledger: ProcessLedger?
    let environment: ProcessEnvironment
    let log: ProcessLog
    /// Used only on the loop's thread.
    let scratch = ReadBuffer()

    /// Creates the services. `loop` delivers all elements on its thread; it may also serve sockets.
    package init(
        loop: EventLoop, ledger: ProcessLedger? = nil, environment: ProcessEnvironment = .inherited,
        log: @escaping ProcessLog = { _ in }
    ) {
        self.loop = loop
        self.ledger = ledger
        self.environment = environment
        self.log = log
    }
}
