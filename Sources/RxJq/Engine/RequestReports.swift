internal import RxHost
internal import RxJSON

/// Reports the faults and ends of requests: to their dispatches, to the outlet, and to the mailbox.
struct RequestReports {
    /// The most bytes of an input in a fault.
    private static let mostShown = 16_384

    private let mailbox: EngineMailbox
    private let outlet: any ReactorOutlet

    init(mailbox: EngineMailbox, outlet: any ReactorOutlet) {
        self.mailbox = mailbox
        self.outlet = outlet
    }

    /// Reports a fault of a request that is not finished by it.
    func note(_ fault: ReactorFault, of request: EngineRequest) {
        request.progress?.note(fault)
        // The result of a replay goes only to the replaying caller.
        if case .replay = request { return }
        outlet.failed(fault)
    }

    /// Reports a fault that finishes a request, with the request's input.
    func fail(_ request: EngineRequest, _ fault: ReactorFault) {
        var fault = fault
        if fault.input == nil { fault.input = shownInput(of: request) }
        note(fault, of: request)
        finish(request)
    }

    /// Reports a fault of no request.
    func fail(_ fault: ReactorFault) { outlet.failed(fault) }

    /// Reports that a request is finished.
    func finish(_ request: EngineRequest) {
        switch request {
        case .action(let progress), .failure(_, _, let progress), .executionEnded(_, let progress),
            .replay(let progress):
            progress.finishPart()
        case .element(_, let value, _), .merged(_, let value): mailbox.elementIsDone(bytes: value.utf8.count)
        case .state, .stop: break
        }
    }

    /// The input that failed.
    private func shownInput(of request: EngineRequest) -> RawJSON? {
        let input: RawJSON? =
            switch request {
            case .action(let progress): progress.input.action
            case .element(_, let value, _), .failure(_, let value, _), .merged(_, let value): value
            case .replay(let progress): progress.input.action
            case .state(_, let value): value
            case .executionEnded, .stop: nil
            }
        return input.flatMap { $0.utf8.count <= Self.mostShown ? $0 : nil }
    }
}
