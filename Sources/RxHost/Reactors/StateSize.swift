internal import RxRecords
internal import RxJSON
internal import RxReactor

/// Enforces the size limit of the state of a reactor in Swift.
///
/// The length of a state as JSON is known only when it is written, and writing it for each mutation would make every
/// dispatch as expensive as the whole state. So the reactor reports how much each mutation adds
/// (`ReactorCoding.growth`), at the cost of the change, and this type adds it up, from a length that is counted once at
/// the start. A reactor that reports wrong numbers has a wrong limit, nothing worse.
///
/// If a reactor does not report growth, the length of the patch between two states is an upper bound of it, because the
/// patch contains all new values. The state is written and measured only when the sum of these bounds exceeds the
/// limit.
///
/// The check comes between `reduce` and the publication of the state, so nobody sees a state that is too long, and it
/// is not stored. Other variables of the reactor may have moved on; `ReactorCoding.adopted` takes them back.
// Unchecked: the mutable fields change at the start, and then in turns of the reactor only.
final class StateSize<R: Reactor>: @unchecked Sendable {
    private let coding: ReactorCoding<R>
    private let limit: Int
    /// The length of the state, or an upper bound if it is taken from patches.
    private var bytes = 0
    /// Scratch space for measuring states and patches.
    private var writer = JSONWriter(reserving: 0)
    /// The capacity of the scratch space that is kept.
    private static var bytesKept: Int { 4096 }

    init(_ coding: ReactorCoding<R>, limit: Int) {
        self.coding = coding
        self.limit = limit
    }

    /// Starts counting.
    ///
    /// - Parameter json: the same state as a tree.
    ///
    /// Throws a fault of stage `.restore` if the state is too long.
    func begin(with state: R.State, _ json: JSONValue) throws(ReactorFault) {
        bytes = coding.growth == nil ? length { coding.state(state).write(to: &$0) } : json.bytes(upTo: .max)
        guard bytes <= limit else { throw ReactorFault(.restore, "the state is longer than \(limit) bytes") }
    }

    /// Returns a fault if the state `after` is too long; otherwise it counts from now on.
    func refusal(of after: R.State, _ mutation: R.Mutation, _ before: R.State) -> ReactorFault? {
        var longest: Int
        if let growth = coding.growth {
            longest = bytes + growth(mutation, before, after)
        } else {
            let (before, after) = (coding.state(before), coding.state(after))
            longest = bytes + growth(after.patch(from: before))
            if longest > limit { longest = length { after.write(to: &$0) } }
        }
        guard longest <= limit else { return fault }
        bytes = longest
        return nil
    }

    /// An upper bound of the bytes that a patch adds.
    private func growth(_ patch: JSONPatch) -> Int {
        // A copied value may be longer than the operation that copies it.
        if patch.operations.contains(where: { if case .copy = $0 { true } else { false } }) { return limit }
        return patch.isEmpty ? 0 : length { patch.write(to: &$0) }
    }

    var fault: ReactorFault { ReactorFault(.size, "the state would be longer than \(limit) bytes") }

    private func length(_ write: (inout JSONWriter) -> Void) -> Int {
        write(&writer)
        defer { writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= Self.bytesKept) }
        return writer.bytes.count
    }
}
