internal import RxRecords
internal import RxJSON
internal import RxReactor

/// Keeps the state of a reactor written in Swift within its limit.
///
/// How long a state is as JSON shows only when it is written, and to write it for each mutation would make every dispatch
/// cost as much as all of the state. So the reactor says by how much each mutation made it longer, which costs as much as
/// the change (`ReactorCoding.growth`), and this adds it up from the start on, where the length is counted once. A reactor
/// that says wrong things has a wrong limit, nothing worse.
///
/// Where a reactor says nothing, the patch between two states says by how much the second is longer at most: a value that
/// is new is in it. Only when these sums pass the limit is a state written to be known for how long it is, and they begin
/// anew from there.
///
/// It is asked between `reduce` and the moment at which the state becomes the reactor's: one that is too long is never
/// seen, logged or told. What the reactor has beside its state may have moved on; `ReactorCoding.adopted` takes it back.
// Unchecked: what changes does so at the start, and then in turns of the reactor only.
final class StateSize<R: Reactor>: @unchecked Sendable {
    private let coding: ReactorCoding<R>
    private let limit: Int
    /// Of the state; at most, where its patches say it.
    private var bytes = 0
    /// What states and patches are written into to be known for how long they are.
    private var writer = JSONWriter(reserving: 0)
    /// That much of it stays for the next.
    private static var bytesKept: Int { 4096 }

    init(_ coding: ReactorCoding<R>, limit: Int) {
        self.coding = coding
        self.limit = limit
    }

    /// - Parameter json: the same state.
    func begin(with state: R.State, _ json: JSONValue) throws(ReactorFault) {
        bytes = coding.growth == nil ? length { coding.state(state).write(to: &$0) } : json.bytes(upTo: .max)
        guard bytes <= limit else { throw ReactorFault(.restore, "the state is longer than \(limit) bytes") }
    }

    /// Nil for a state that may be: it counts from now on.
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

    /// At most.
    private func growth(_ patch: JSONPatch) -> Int {
        // What is copied is longer than the patch that says so.
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
