internal import RxJSON
internal import RxReactor

/// Keeps the state of a reactor written in Swift within its limit.
///
/// How long a state is as JSON shows only when it is written, and to write it for each mutation would make every dispatch
/// cost as much as all of the state. So the reactor says by how much each mutation made it longer, which costs as much as
/// the change (`ReactorCoding.growth`), and this adds it up from the start on, where the length is counted once. A reactor
/// that says wrong things has a wrong limit, nothing worse. Where a reactor says nothing, each state is written.
///
/// It is asked between `reduce` and the moment at which the state becomes the reactor's: one that is too long is never
/// seen, logged or told. What the reactor has beside its state may have moved on; `ReactorCoding.adopted` takes it back.
// Unchecked: what changes does so at the start, and then in turns of the reactor only.
final class StateSize<R: Reactor>: @unchecked Sendable {
    private let coding: ReactorCoding<R>
    private let limit: Int
    private var bytes = 0
    /// What states are written into to be known for how long they are.
    private var writer = JSONWriter(reserving: 0)
    /// That much of it stays for the next.
    private static var bytesKept: Int { 4096 }

    init(_ coding: ReactorCoding<R>, limit: Int) {
        self.coding = coding
        self.limit = limit
    }

    /// - Parameter json: the same state.
    func begin(with state: R.State, _ json: JSONValue) throws(ReactorFault) {
        bytes = coding.growth == nil ? written(state) : json.bytes(upTo: .max)
        guard bytes <= limit else { throw ReactorFault(.restore, "the state is longer than \(limit) bytes") }
    }

    /// Nil for a state that may be: it counts from now on.
    func refusal(of after: R.State, _ mutation: R.Mutation, _ before: R.State) -> ReactorFault? {
        let length = coding.growth.map { bytes + $0(mutation, before, after) } ?? written(after)
        guard length <= limit else { return fault }
        bytes = length
        return nil
    }

    var fault: ReactorFault { ReactorFault(.size, "the state would be longer than \(limit) bytes") }

    private func written(_ state: R.State) -> Int {
        coding.state(state).write(to: &writer)
        defer { writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= Self.bytesKept) }
        return writer.bytes.count
    }
}
