internal import RxRecords
internal import RxHost
internal import RxJSON

/// The state that the worker has, kept up to date with its patches and reported to the outlet after each.
struct MirroredState {
    private(set) var value: JSONValue
    private let outlet: any ReactorOutlet

    init(_ value: JSONValue, outlet: any ReactorOutlet) {
        self.value = value
        self.outlet = outlet
    }

    /// Applies the patch of a mutation that `request` has led to.
    ///
    /// - Throws: `.malformed` if the patch does not fit the state.
    mutating func reduce(
        _ mutation: RawJSON, _ patch: JSONPatch, of request: EngineRequest
    ) throws(WorkerEnd) {
        do {
            try patch.apply(to: &value)
        } catch {
            throw .malformed
        }
        outlet.reduced(
            ReactorStep(
                input: request.input, mutation: { mutation }, state: JSONState(value), patch: patch,
                isRepeatable: request.isAction))
    }
}
