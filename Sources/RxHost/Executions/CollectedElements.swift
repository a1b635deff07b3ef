public import RxRecords
public import RxJSON

/// How the first elements of an execution are collected for a requester that waits for its end.
public struct ElementCollecting: Sendable {
    /// The most that is collected.
    public struct Limits: Sendable, Hashable {
        /// The number of elements.
        public var elements: Int
        /// The bytes of all elements: a few large ones must not fill the memory.
        public var bytes: Int

        /// Limits of an answer.
        public init(elements: Int, bytes: Int) {
            self.elements = elements
            self.bytes = bytes
        }
    }

    let limits: Limits
    let charge: any ElementCharge
    /// Called once, outside of any lock, on the work's thread or the thread of the request.
    let ended: @Sendable (ExecutionError?, CollectedElements) -> Void

    /// - Parameters:
    ///   - limits: the most that is collected.
    ///   - charge: who is charged with the elements, once for all requests that collect them for the same.
    ///   - ended: called at the end of the execution, once, outside of any lock.
    public init(
        _ limits: Limits, charge: any ElementCharge,
        ended: @escaping @Sendable (ExecutionError?, CollectedElements) -> Void
    ) {
        self.limits = limits
        self.charge = charge
        self.ended = ended
    }
}

/// Who is charged with the elements that are collected. Called on any thread, also with locks held: it must neither
/// block nor call out.
public protocol ElementCharge: AnyObject, Sendable {
    /// Adds bytes unless they exceed the limit.
    ///
    /// - Returns: whether they were added.
    func add(_ bytes: Int) -> Bool
    /// Gives back bytes that were added.
    func remove(_ bytes: Int)
}

/// The first elements of an execution, for a requester that has waited for its end. Requests of the same user share
/// them.
public final class CollectedElements: Sendable {
    static let none = CollectedElements([], 1..<1, bytes: 0, isTruncated: false)

    private let chunks: [CollectedChunk]
    /// The numbers of the elements among those of the execution.
    let range: Range<Int>
    /// The bytes of their texts.
    public let bytes: Int
    /// Whether the execution has yielded more.
    public let isTruncated: Bool

    init(_ chunks: [CollectedChunk], _ range: Range<Int>, bytes: Int, isTruncated: Bool) {
        self.chunks = chunks
        self.range = range
        self.bytes = bytes
        self.isTruncated = isTruncated
    }

    /// The number of elements.
    public var count: Int { range.count }

    /// Calls `body` with each element, in their order.
    public func forEach(_ body: (RawJSON) -> Void) {
        for chunk in chunks { chunk.forEach(in: range, body) }
    }
}

/// Successive elements of an execution, which one user is charged with until nobody needs them.
// Unchecked: changed with the event log's lock held while the execution is in flight, and read after its end.
final class CollectedChunk: @unchecked Sendable {
    /// Enough that an answer refers to few of them, and so few that little is kept of which nothing is needed.
    static let most = 256
    /// What an element takes beside its text: its place here, and the head of its text.
    static let costOfElement = 16

    /// The number of its first element among those of the execution.
    let first: Int
    /// The bytes of all elements before it, as the collection counts them.
    let bytesBefore: Int
    private let charge: any ElementCharge
    @exclusivity(unchecked) private var elements: [RawJSON] = []
    @exclusivity(unchecked) private var cost = 0

    init(first: Int, bytesBefore: Int, _ charge: any ElementCharge) {
        self.first = first
        self.bytesBefore = bytesBefore
        self.charge = charge
    }

    deinit { charge.remove(cost) }

    var isFull: Bool { elements.count >= Self.most }
    /// The number after that of its last element.
    var end: Int { first + elements.count }

    /// - Parameter cost: what the user is charged with for it.
    func append(_ element: RawJSON, cost: Int) {
        elements.append(element)
        self.cost += cost
    }

    /// The bytes of all elements before this one of its own, as the collection counts them.
    func bytes(before number: Int) -> Int {
        elements[..<(number - first)].reduce(bytesBefore) { $0 + $1.utf8.count }
    }

    func forEach(in range: Range<Int>, _ body: (RawJSON) -> Void) {
        let own = range.clamped(to: first..<end)
        for number in own { body(elements[number - first]) }
    }
}
