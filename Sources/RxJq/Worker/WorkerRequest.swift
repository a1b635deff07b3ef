internal import CJq
public import RxJSON

/// A request to a worker. The worker replies in the order of the requests.
public enum WorkerRequest: Sendable {
    /// Compiles the programs and sets the state and its limit in bytes; the first request.
    case setup(JqReactorPrograms, state: JSONValue, stateBytes: Int)
    /// Applies the rules to an action.
    case action(RawJSON)
    /// An element of an execution that a rule started for an action.
    case element(rule: Int, action: RawJSON, RawJSON)
    /// The failure of an execution that a rule started for an action.
    case failure(rule: Int, action: RawJSON, RawJSON)
    /// A merged value: the state of another reactor if `isState`, otherwise an element of an action.
    case merge(Int, isState: Bool, RawJSON)
    /// Reduces a known mutation.
    case replay(RawJSON)

    /// Appends the encoded request.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .setup(let programs, let state, let stateBytes):
            frame(cjq_setup, [], programs.setup(state: state, stateBytes: stateBytes), to: &bytes)
        case .action(let action): frame(cjq_action, [], action.utf8, to: &bytes)
        case .element(let rule, let action, let element):
            frame(cjq_element, [rule, action.utf8.count], action.utf8, element.utf8, to: &bytes)
        case .failure(let rule, let action, let error):
            frame(cjq_failure, [rule, action.utf8.count], action.utf8, error.utf8, to: &bytes)
        case .merge(let merge, let isState, let value):
            frame(cjq_merge, [merge, isState ? 1 : 0], value.utf8, to: &bytes)
        case .replay(let mutation): frame(cjq_replay, [], mutation.utf8, to: &bytes)
        }
    }

    private func frame(
        _ kind: cjq_request, _ numbers: [Int], _ first: [UInt8], _ second: [UInt8] = [], to bytes: inout [UInt8]
    ) {
        func append(_ number: Int) {
            withUnsafeBytes(of: UInt32(number).littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(4 * numbers.count + first.count + second.count)
        bytes.append(UInt8(kind.rawValue))
        for number in numbers { append(number) }
        bytes += first
        bytes += second
    }
}
