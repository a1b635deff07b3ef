internal import RxStreams

/// Receives what an engine emits.
protocol FileOutput: AnyObject {
    func emit(_ elements: [SourceElement])
    func report(waiting reason: String?)
    /// Reports a part of the input that is passed over.
    func report(error message: String)
}

/// Passes everything to a receiver, until its gate is closed.
final class GateOutput: FileOutput {
    private let gate: ReceiverGate

    init(_ gate: ReceiverGate) { self.gate = gate }

    func emit(_ elements: [SourceElement]) { gate.call { $0.receive(elements) } }
    func report(waiting reason: String?) { gate.call { $0.report(waiting: reason) } }
    func report(error message: String) { gate.call { $0.report(error: message, element: nil) } }
}
