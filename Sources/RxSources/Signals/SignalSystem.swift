internal import RxLoop

/// Catching signals. Loop thread only.
protocol SignalSystem: Sendable {
    /// Calls `handler` on the loop for each signal of this number.
    ///
    /// - Returns: stops the calls and ignores the signal from now on.
    /// - Throws: if no descriptor or no memory is left.
    func watch(
        _ number: Int32, _ handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemCallError) -> () -> Void
}

/// The signals of the process, on a loop.
struct LoopSignals: SignalSystem {
    let loop: EventLoop

    func watch(
        _ number: Int32, _ handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemCallError) -> () -> Void {
        let watch = try loop.watch(signalsWithSender: [number], handler)
        return { watch.cancel() }
    }
}
