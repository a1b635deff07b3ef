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
    private var rest: ArraySlice<UInt8>
    private var writing: (descriptor: Int32, watch: System.Loop.Watch)?

    /// Takes over the pipe. Closes it at once if no watch is left.
    init(_ input: PendingInput, in system: System) {
        self.system = system
        rest = input.rest
        guard let descriptor = input.descriptor else { return }
        system.pipes.blockBrokenPipeSignal()
        if let watch = try? system.loop.watchWritable(descriptor, { [self] in write() }) {
            writing = (descriptor, watch)
        } else {
            system.pipes.close(descriptor)
        }
    }

    /// Closes the pipe. A second call has no effect.
    func close() {
        guard let (descriptor, watch) = writing else { return }
        watch.cancel()
        system.pipes.close(descriptor)
        writing = nil
        rest = []
    }

    private func write() {
        guard let writing else { return }
        rest = rest.dropFirst(system.pipes.write(rest, to: writing.descriptor))
        if rest.isEmpty { close() }
    }
}
