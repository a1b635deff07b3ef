internal import RxLoop

/// Standard input before the process exists: the bytes that did not fit into the pipe.
struct PendingInput: Sendable {
    /// nil if everything was written and the pipe is closed.
    fileprivate let descriptor: Int32?
    fileprivate let rest: ArraySlice<UInt8>

    /// Writes what fits into the pipe. Its read end is still open here, so EPIPE cannot occur.
    init(_ pipe: Pipe, bytes: [UInt8], in pipes: some PipeSystem) {
        rest = bytes[pipes.write(bytes[...], to: pipe.writeEnd)...]
        descriptor = rest.isEmpty ? nil : pipe.writeEnd
        if rest.isEmpty { pipes.close(pipe.writeEnd) }
    }

    /// Closes the pipe, because no process was started.
    func close(in pipes: some PipeSystem) {
        if let descriptor { pipes.close(descriptor) }
    }
}

/// Writes the rest of a process's standard input as the process reads it, and closes it. A process may leave its input
/// unread. Loop thread only.
final class PipeWriter<System: ProcessSystem> {
    private let system: System
    private var descriptor: Int32?
    private var rest: ArraySlice<UInt8>
    private var watch: System.Loop.Watch?

    /// Takes over the pipe. Nothing is written before `open`.
    init(_ input: PendingInput, in system: System) {
        self.system = system
        descriptor = input.descriptor
        rest = input.rest
    }

    /// Begins to write.
    ///
    /// - Throws: if no memory or no watch is left.
    func open() throws(SystemCallError) {
        guard let descriptor else { return }
        system.pipes.blockBrokenPipeSignal()
        watch = try system.loop.watchWritable(descriptor) { [self] in write() }
    }

    /// Closes the pipe. A second call has no effect.
    func close() {
        watch?.cancel()
        watch = nil
        rest = []
        guard let descriptor else { return }
        self.descriptor = nil
        system.pipes.close(descriptor)
    }

    private func write() {
        guard let descriptor else { return }
        rest = rest.dropFirst(system.pipes.write(rest, to: descriptor))
        if rest.isEmpty { close() }
    }
}
