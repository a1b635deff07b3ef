internal import RxStore
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxStreams
internal import RxTime

/// What is outside of a stream in a daemon.
final class HostEnvironment: StreamEnvironment {
    private let host: Host
    private let turns: StreamTurns
    private let output: StreamOutput

    init(_ services: StreamServices, turns: StreamTurns, output: StreamOutput) {
        host = services.host
        self.turns = turns
        self.output = output
    }

    func execute(_ execution: StepExecution, in context: StreamContext) -> Observable<RawJSON> {
        Observable.create { [self] observer in
            guard let action = host.registry[execution.action] else {
                observer.onError(StepFailure(name: "notFound", message: "no such action: \(execution.action)"))
                return Disposables.create()
            }
            var request = ExecutionRequest(
                input: execution.input, causes: Causes(of: execution.element, in: context.name))
            request.publishesRefusal = false
            let requester = host.makeRequester()
            request.requester = requester
            let results = ExecutionResults(of: execution, turns, output, observer)
            switch host.submit(action, request, observer: { { results.take($0) } }) {
            case .done(let brief):
                if let error = brief.end {
                    observer.onError(StepFailure(error))
                } else {
                    if let value = brief.element { observer.onNext(value) }
                    observer.onCompleted()
                }
                return Disposables.create()
            case .refused(let refusal):
                let mayPass = if case .input = refusal { false } else { true }
                observer.onError(StepFailure(name: refusal.name.rawValue, message: refusal.message, mayPass: mayPass))
                return Disposables.create()
            case .accepted(let accepted):
                accepted.goOnUnreported()
                return Disposables.create {
                    accepted.stopObserving()
                    accepted.execution.withdraw(requester)
                }
            }
        }
    }

    func report(_ failure: StreamFailure, in context: StreamContext) { output.report(failure) }

    func report(lost count: Int, step: String, in context: StreamContext) { output.lose(count, step: step) }
}

extension StepFailure {
    fileprivate init(name: String, message: String, mayPass: Bool = true) {
        let error: JSONValue = ["name": .string(name), "message": .string(message)]
        self.init(name: name, message: message, error: RawJSON(error), mayPass: mayPass)
    }

    init(_ error: ExecutionError) {
        switch error {
        case .failed(let failure):
            let name = error.name.rawValue
            var object = failure.facts
            object["name"] = .string(name)
            object["message"] = .string(failure.message)
            self.init(name: name, message: failure.message, error: RawJSON(.object(object)), mayPass: failure.mayPass)
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted:
            self.init(name: error.name.rawValue, message: "\(error)")
        }
    }
}
