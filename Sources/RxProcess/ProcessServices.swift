package import Rx
package import RxHost
package import RxJSON
package import RxLoop
package import RxPlatform

/// The services that all processes share: the system, their base environment, the ledger, and the log.
package final class ProcessServices: Sendable {
    private let prepare: @Sendable (ProcessDefinition) -> @Sendable (Invocation) -> Observable<RawJSON>

    /// Creates the services. `loop` delivers all elements on its thread; it may also serve sockets.
    package convenience init(
        loop: EventLoop, platform: Platform, ledger: ProcessLedger? = nil, inputFiles: InputFiles? = nil,
        environment: ProcessEnvironment = .inherited, log: @escaping ProcessLog = { _ in }
    ) {
        self.init(
            LinuxSystem(loop: loop, platform: platform), ledger: ledger, inputFiles: inputFiles,
            environment: environment, log: log)
    }

    /// Creates the services in another world than the machine's.
    init(
        _ system: some ProcessSystem, ledger: ProcessLedger? = nil, inputFiles: InputFiles? = nil,
        environment: ProcessEnvironment, log: @escaping ProcessLog
    ) {
        let context = ProcessContext(
            system: system, ledger: ledger, inputFiles: inputFiles, environment: environment, log: log)
        prepare = { definition in { invocation in context.work(definition, invocation) } }
    }

    /// Opens the descriptors that the first process would open, and that are kept. Call it while descriptors are left,
    /// before a client can take them.
    package static func openDescriptors() { LinuxSpawner.openDescriptors() }

    /// Returns the work of a process action: it starts a process when subscribed to and ends the process when disposed.
    ///
    /// Cancellation through the `context` is cooperative: SIGTERM to the session, SIGKILL after the grace, and elements
    /// until the end. A `CancellationRequest` can set its own grace.
    package func work(_ definition: ProcessDefinition) -> @Sendable (Invocation) -> Observable<RawJSON> {
        prepare(definition)
    }
}
