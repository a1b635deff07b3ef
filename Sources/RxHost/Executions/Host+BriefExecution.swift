public import RxRecords
public import RxJSON
internal import RxAction
internal import Rx

extension Host {
    /// Fast path for synchronous work; observably equivalent to `submit`.
    ///
    /// It makes no request and no submission, which would cost more than the execution.
    ///
    /// - Parameters:
    ///   - action: the action to execute.
    ///   - work: its `briefWork`, read since the last change of `generation`.
    ///   - input: the input; if its validation may take long, the outcome is `notBrief`.
    ///   - causes: what led to the request, the requester first.
    public func executeBriefly(
        _ action: HostedAction, _ work: BriefWork, _ input: RawJSON, _ causes: Causes
    ) -> BriefOutcome {
        if work.schema != nil, input.utf8.count > Self.inputBytesValidatedAtOnce { return .notBrief }
        return execute(action, work, input, causes, faults: nil)
    }

    /// - Parameters:
    ///   - faults: what is wrong with the input, if that is known.
    ///   - redaction: what is shown of the input, if that is known.
    func execute(
        _ action: HostedAction, _ work: BriefWork, _ input: RawJSON, _ causes: Causes, faults: [InputFault]?,
        _ redaction: InputRedaction? = nil
    ) -> BriefOutcome {
        let id = services.ids.next()
        guard action.beginBrief(id, causes) else { return .notBrief }
        let faults = faults ?? work.validate(input)
        guard faults.isEmpty else {
            action.endBrief()
            return .invalid(faults)
        }
        var shown: RawJSON?
        if input.utf8.count <= ExecutionRecord.inputBytesKept { shown = work.schema?.redacting(input) ?? input }
        var result = work.answer(input)
        if case .failure(let failure) = result, let schema = work.schema,
            let mask = redaction.map({ $0.mask }) ?? SecretMask(schema, input)
        {
            result = .failure(mask.masking(failure))
        }
        let execution = BriefExecution(
            id: id, action: action, causes: causes, input: shown, result: result, disables: work.disables)
        log.finish(execution, of: action)
        if let element = execution.element { services.elementListeners.notify(action.name, element) }
        action.endBrief()
        return .done(execution)
    }
}
