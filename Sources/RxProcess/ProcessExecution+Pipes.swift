internal import RxRecords
internal import Glibc
internal import Rx
internal import RxHost
internal import Synchronization
internal import RxLoop

/// Reading of the pipes of an execution, on the loop.
extension ProcessExecution {
    func open(_ reading: inout Reading, _ body: @escaping () -> Void) throws(SystemCallError) {
        guard case .unwatched(let descriptor) = reading else { return }
        reading = .open(try launcher.loop.watch(fd: descriptor, .readable) { _ in body() })
    }

    /// Continues reading. If no watch is available, ends the process.
    func watchOutput() {
        do throws(SystemCallError) {
            try open(&output) { [self] in readOutput() }
        } catch {
            failure = failure ?? WorkFailure(message: "cannot watch the process: \(error)")
            end(grace: .zero)
        }
    }

    func readOutput() {
        guard case .open(let watch) = output else { return }
        let isPaced = invocation.flow?.isPaced ?? false
        switch launcher.scratch.read(watch.fd, atMost: isPaced ? ReadBuffer.smallSize : ReadBuffer.size) {
        case .nothingYet: return
        case .bytes(let bytes): deliver { elements throws(WorkFailure) in try elements.push(bytes, observer.onNext) }
        case .end:
            endOutput()
            completeIfSilent()
        }
    }

    func endOutput() {
        if case .closed = output { return }
        output = closed(output)
        deliver { elements throws(WorkFailure) in try elements.finish(observer.onNext) }
    }

    /// Passes output to the reader of elements; after a fault, discards it.
    private func deliver(_ body: (inout ProcessOutputReader) throws(WorkFailure) -> Void) {
        guard failure == nil, !isAbandoned.load(ordering: .relaxed) else { return }
        let wasRepaired = elements.repairedLine != nil
        do throws(WorkFailure) {
            try body(&elements)
        } catch {
            failure = error
            end(grace: definition.grace)
        }
        if !wasRepaired, let line = elements.repairedLine {
            note(.daemon, "line \(line) of the output is not UTF-8; what was wrong with it was replaced")
        }
    }

    func readError() {
        guard case .open(let watch) = error else { return }
        switch launcher.scratch.read(watch.fd, atMost: ReadBuffer.smallSize) {
        case .nothingYet: return
        case .bytes(let bytes): errors.push(bytes) { note(.standardError, $0) }
        case .end:
            endError()
            completeIfSilent()
        }
    }

    func endError() {
        if case .closed = error { return }
        error = closed(error)
        errors.finish { note(.standardError, $0) }
    }

    func closed(_ reading: Reading) -> Reading {
        switch reading {
        case .open(let watch):
            watch.cancel()
            close(watch.fd)
        case .unwatched(let descriptor):
            close(descriptor)
        case .closed: break
        }
        return .closed
    }
}
