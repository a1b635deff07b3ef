public import RxRecords
public import RxJSON
internal import RxAction
internal import Rx

extension Host {
    /// The part of `submit` for synchronous work, for a caller that has read the action's `briefWork` since the last
    /// change of `generation`: it makes no request and no submission, which would cost more than the execution.
    ///
    /// - Returns: nil if the input needs `submit`; then nothing has happened.
    public func executeBriefly(
        _ action: HostedAction, _ work: BriefWork, _ input: RawJSON, by origin: Origin
    ) -> BriefExecution? {
        var faults: [InputFault] = []
        return execute(action, work, input, by: origin, &faults)
    }

    /// - Parameter faults: what is wrong with the input; nothing is executed then.
    func execute(
        _ action: HostedAction, _ work: BriefWork, _ input: RawJSON, by origin: Origin, _ faults: inout [InputFault]
    ) -> BriefExecution? {
        let id = services.ids.next()
        guard action.beginBrief(id, by: origin) else { return nil }
        faults = work.validate(input)
        guard faults.isEmpty else {
            action.endBrief()
            return nil
        }
        var shown: RawJSON?
        if input.utf8.count <= ExecutionRecord.inputBytesKept { shown = work.schema?.redacting(input) ?? input }
        let execution = BriefExecution(
            id: id, action: action, by: origin, input: shown, result: work.answer(input), disables: work.disables)
        log.finish(execution, of: action)
        if let element = execution.element { services.elementListeners.notify(action.name, element) }
        action.endBrief()
        return execution
    }
}
