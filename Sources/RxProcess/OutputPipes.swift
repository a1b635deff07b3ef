internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxRecords

/// What `OutputPipes` reports.
enum OutputEvent {
    /// Both pipes have ended and are closed.
    case closed
    /// Standard output cannot be elements. No more elements follow.
    case faulty(WorkFailure)
}

/// The output of one process: turns standard output into elements, and standard error into journal lines and the tail
/// for an error. Loop thread only, until `close`.
final class OutputPipes<System: ProcessSystem> {
    private let output: PipeReader<System>
    private let error: PipeReader<System>
    private let buffer: ReadBuffer
    private let flow: Flow?
    private var elements: ProcessOutputReader
    private var errors: ErrorOutputReader
    private var size = ReadSize()
    private var isDiscarding = false
    private let emit: (RawJSON) -> Void
    private let note: (ProcessNote.Source, String) -> Void
    private let keepError: (UnsafeRawBufferPointer) -> Void
    private let report: (OutputEvent) -> Void

    /// Takes over the read ends. Nothing is read before `open`.
    ///
    /// - Parameter secrets: what the lines of standard error must not have in the journal.
    init(
        _ start: StartedProcess, _ definition: ProcessDefinition, _ context: ProcessContext<System>, flow: Flow?,
        secrets: SecretMask?,
        emit: @escaping (RawJSON) -> Void, note: @escaping (ProcessNote.Source, String) -> Void,
        keepError: @escaping (UnsafeRawBufferPointer) -> Void, report: @escaping (OutputEvent) -> Void
    ) {
        output = PipeReader(start.output, in: context.system)
        error = PipeReader(start.error, in: context.system)
        buffer = context.buffer
        self.flow = flow
        elements = ProcessOutputReader(definition.output, limits: definition.limits)
        errors = ErrorOutputReader(limits: definition.limits, secrets: secrets)
        self.emit = emit
        self.note = note
        self.keepError = keepError
        self.report = report
    }

    /// The tail of standard error without its final newline; nil if nothing was written.
    var errorTail: String? { errors.tail }

    /// Begins to read.
    ///
    /// - Throws: if no memory or no watch is left.
    func open() throws(SystemCallError) {
        try output.watch { [self] in readOutput() }
        try error.watch { [self] in readError() }
    }

    /// Stops reading standard output, or continues.
    ///
    /// - Throws: if no memory or no watch is left to continue.
    func hold(_ isHeld: Bool) throws(SystemCallError) {
        if isHeld {
            output.unwatch()
        } else {
            try output.watch { [self] in readOutput() }
        }
    }

    /// From now on, standard output is read and ignored.
    func discard() {
        isDiscarding = true
    }

    /// Reads the remaining content of the pipes and closes them. Reads at most a pipe's capacity, because another
    /// process may still be writing.
    func close() {
        for _ in 0..<(ReadBuffer.pipeSize / ReadBuffer.smallSize) {
            readOutput(atMost: ReadBuffer.smallSize)
            readError()
        }
        endOutput()
        endError()
    }

    // MARK: Standard output

    private func readOutput() {
        let isPaced = flow?.isPaced ?? false
        readOutput(atMost: isPaced ? min(ReadBuffer.smallSize, size.bytes) : size.bytes)
    }

    private func readOutput(atMost limit: Int) {
        guard !output.isClosed else { return }
        switch output.read(with: buffer, atMost: limit) {
        case .nothingYet: return
        case .bytes(let bytes):
            var count = 0
            deliver { elements throws(WorkFailure) in
                try elements.push(bytes) {
                    count += 1
                    emit($0)
                }
            }
            size.adapt(toElements: count, in: bytes.count)
        case .end:
            endOutput()
            reportClosed()
        }
    }

    private func endOutput() {
        guard !output.isClosed else { return }
        output.close()
        deliver { elements throws(WorkFailure) in try elements.finish(emit) }
    }

    private func deliver(_ body: (inout ProcessOutputReader) throws(WorkFailure) -> Void) {
        guard !isDiscarding else { return }
        let wasRepaired = elements.repairedLine != nil
        do throws(WorkFailure) {
            try body(&elements)
        } catch {
            isDiscarding = true
            report(.faulty(error))
        }
        if !wasRepaired, let line = elements.repairedLine {
            note(.daemon, "line \(line) of the output is not UTF-8; what was wrong with it was replaced")
        }
    }

    // MARK: Standard error

    private func readError() {
        guard !error.isClosed else { return }
        switch error.read(with: buffer, atMost: ReadBuffer.smallSize) {
        case .nothingYet: return
        case .bytes(let bytes):
            keepError(bytes)
            errors.push(bytes) { note(.standardError, $0) }
        case .end:
            endError()
            reportClosed()
        }
    }

    private func endError() {
        guard !error.isClosed else { return }
        error.close()
        errors.finish { note(.standardError, $0) }
    }

    private func reportClosed() {
        if output.isClosed && error.isClosed { report(.closed) }
    }
}
