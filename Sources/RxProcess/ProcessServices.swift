package import RxLoop

/// What all processes share: the loop that serves their pipes, the environment they start with, the ledger of those
/// alive, and where their words go.
package final class ProcessServices: Sendable {
    let loop: EventLoop
    let ledger: ProcessLedger?
    let environment: ProcessEnvironment
    let log: ProcessLog
    /// For the loop's thread.
    let scratch = ReadBuffer()

    /// `loop` serves all processes: elements are delivered on its thread. It may be one that serves sockets as well.
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
