internal import RxJSON
internal import RxRecords
internal import RxStore

/// The retained output of an execution in flight: its output as far as it is kept.
// Unchecked: guarded by the event log's lock, which also keeps accesses from overlapping.
final class RetainedOutput: @unchecked Sendable {
    /// The most memory that the outputs of all executions in flight may use together: any number may be in flight.
    /// Beyond that, one that grows loses its tail, and its head grows no more.
    static let costKept = 64 << 20

    @exclusivity(unchecked) private var elements: RetainedElements
    @exclusivity(unchecked) private var errors: RetainedErrors
    @exclusivity(unchecked) private var mask: SecretMask?
    /// Whether there is more than the store has.
    @exclusivity(unchecked) private(set) var isUnstored = false
    /// How many seconds have to pass before it is stored again: longer each time, since all of it is written.
    @exclusivity(unchecked) private var patience = 1
    @exclusivity(unchecked) private var waited = 0
    @exclusivity(unchecked) private var readers: [(token: UInt64, body: @Sendable () -> Void)] = []
    @exclusivity(unchecked) private var lastToken: UInt64 = 0

    /// The longest time between two writes, in seconds: what a crash may lose.
    private static let longestPatience = 30

    /// - Parameters:
    ///   - limit: the most bytes of elements, and of standard error.
    ///   - mask: the secrets that must not be kept.
    init(limit: Int, mask: SecretMask?) {
        elements = RetainedElements(limit: limit)
        errors = RetainedErrors(limit: limit)
        self.mask = mask
    }

    /// Adds an element.
    ///
    /// - Parameter total: the memory of all outputs in flight.
    /// - Returns: whether it is the first change since the output was stored.
    @inline(never)  // Inlined, it retains this object for each element.
    func append(_ text: RawJSON, number: UInt64, time: Int64, total: inout Int) -> Bool {
        if !elements.appendToBlock(text, number: number, time: time) {
            appendBlock(for: text, number: number, time: time, total: &total)
        }
        return changed()
    }

    /// Adds an element that may need memory.
    private func appendBlock(for text: RawJSON, number: UInt64, time: Int64, total: inout Int) {
        let before = elements.cost
        let room = Self.costKept - (total - before)
        if before + text.utf8.count > room { elements.close() }
        elements.append(text, number: number, time: time)
        if elements.cost > room { elements.close() }
        total += elements.cost - before
    }

    /// Adds bytes of standard error.
    ///
    /// - Parameters:
    ///   - count: the number of elements so far.
    ///   - total: the memory of all outputs in flight.
    /// - Returns: whether it is the first change since the output was stored.
    func append(error bytes: UnsafeRawBufferPointer, after count: Int, total: inout Int) -> Bool {
        total -= errors.cost
        let room = Self.costKept - total
        if errors.cost + bytes.count > room { errors.close() }
        errors.append(bytes, after: count)
        if errors.cost > room { errors.close() }
        total += errors.cost
        return changed()
    }

    private func changed() -> Bool {
        defer { isUnstored = true }
        return !isUnstored
    }

    /// A second has passed.
    ///
    /// - Returns: what is to be stored now; nil if it is not time yet.
    func takeForStore() -> StorableOutput? {
        waited += 1
        guard isUnstored, waited >= patience else { return nil }
        waited = 0
        patience = min(patience * 2, Self.longestPatience)
        isUnstored = false
        return storable(isOver: false)
    }

    /// What is to be stored, as it is now; nil if nothing came.
    ///
    /// - Parameter isOver: whether nothing follows.
    func storable(isOver: Bool) -> StorableOutput? {
        let now = now(isOver: isOver)
        return now.isEmpty ? nil : StorableOutput(bytes: now.cost) { now.kept() }
    }

    /// The numbers of the elements; nil without elements.
    var extent: RetainedElements.Extent? { elements.extent }

    /// What there is now. It shares memory with this one until this one changes.
    ///
    /// - Parameter isOver: whether nothing follows.
    func now(isOver: Bool) -> OutputSnapshot {
        OutputSnapshot(elements: elements.snapshot, errors: errors, mask: mask, isOver: isOver)
    }

    /// Forgets everything: the execution has ended.
    ///
    /// - Parameter total: the memory of all outputs in flight.
    /// - Returns: the readers that wait for more.
    func end(total: inout Int) -> [@Sendable () -> Void] {
        total -= elements.cost + errors.cost
        elements = RetainedElements(limit: 0)
        errors = RetainedErrors(limit: 0)
        mask = nil
        isUnstored = false
        return takeReaders()
    }

    /// Calls `reader` once, when there is more than `position`, or when the execution has ended.
    ///
    /// - Returns: the token to remove the reader by; nil if there is more already.
    func wait(after position: OutputPosition, _ reader: @escaping @Sendable () -> Void) -> UInt64? {
        guard elements.total <= position.elements, errors.total <= position.errorBytes else { return nil }
        lastToken += 1
        readers.append((lastToken, reader))
        return lastToken
    }

    func removeReader(_ token: UInt64) { readers.removeAll { $0.token == token } }

    /// Whether readers wait for more.
    var hasReaders: Bool { !readers.isEmpty }

    /// The readers that wait for more, to be called once the lock is released.
    func takeReaders() -> [@Sendable () -> Void] {
        guard !readers.isEmpty else { return [] }
        defer { readers = [] }
        return readers.map(\.body)
    }
}
