internal import RxJSON

/// Collects the elements of one execution for all requests of one user that wait for its end. Each of them gets a
/// range of what is collected, so an element costs the same however many wait. Used with the event log's lock held.
struct ElementCollection {
    private let limits: ElementCollecting.Limits
    private let charge: any ElementCharge
    /// What the open observers need, oldest first.
    private var chunks: [CollectedChunk] = []
    /// The number of the next element.
    private var next = 1
    /// The bytes of the elements before that, since the collection began.
    private var bytes = 0
    /// The observers that have room for more. All have the same limits, so the first one is full first.
    private var open = ObserverQueue()
    /// What the last one got that had no room for more: others may begin with the same element.
    private weak var lastFull: CollectedElements?

    init(for collecting: ElementCollecting) {
        limits = collecting.limits
        charge = collecting.charge
    }

    /// Whether it collects for requests with these limits and this charge.
    func isFor(_ collecting: ElementCollecting) -> Bool {
        charge === collecting.charge && limits == collecting.limits
    }

    /// Whether someone has, or waits for, what it has collected.
    var isNeeded: Bool { !open.isEmpty || lastFull != nil }

    /// Begins to collect for an observer, with the past as far as it is kept.
    ///
    /// - Parameter published: the number of elements so far.
    mutating func add(_ observer: ExecutionObserver, _ recording: SharedRecording?, published: Int) {
        let first = published + 1 - (recording?.elements ?? 0)
        if let lastFull, lastFull.range.lowerBound == first {
            observer.collected = lastFull
            return
        }
        guard open.isEmpty else {
            // Those who came before have what it needs: the past that is kept begins later and later.
            observer.firstElement = max(first, chunks.first?.first ?? next)
            observer.bytesBefore =
                chunks.last { $0.first <= observer.firstElement && observer.firstElement < $0.end }?
                .bytes(before: observer.firstElement) ?? bytes
            open.append(observer)
            return
        }
        (next, bytes, chunks) = (first, 0, [])
        observer.firstElement = first
        open.append(observer)
        recording?.forEachElement { element in
            append(element)
            return !open.isEmpty
        }
    }

    mutating func append(_ element: RawJSON) {
        guard !open.isEmpty else { return }
        let length = element.utf8.count
        var full: CollectedElements?
        while let first = open.first, !hasRoom(for: length, first) { full = close(first, isTruncated: true, full) }
        if let full {
            lastFull = full
            trim()
        }
        let cost = length + CollectedChunk.costOfElement
        guard !open.isEmpty, charge.add(cost) else { return closeAll(isTruncated: true) }
        if chunks.last?.isFull ?? true { chunks.append(CollectedChunk(first: next, bytesBefore: bytes, charge)) }
        chunks[chunks.count - 1].append(element, cost: cost)
        next += 1
        bytes += length
    }

    private func hasRoom(for length: Int, _ observer: ExecutionObserver) -> Bool {
        next - observer.firstElement < limits.elements && bytes - observer.bytesBefore + length <= limits.bytes
    }

    /// The observer is not there any more.
    mutating func remove(_ observer: ExecutionObserver) {
        open.remove(observer)
        trim()
    }

    /// The execution has ended.
    mutating func end() { closeAll(isTruncated: false) }

    private mutating func closeAll(isTruncated: Bool) {
        var previous: CollectedElements?
        while let first = open.first {
            previous = close(first, isTruncated: isTruncated, previous)
        }
        chunks = []
    }

    /// - Parameter previous: what another one has got at the same moment.
    private mutating func close(
        _ observer: ExecutionObserver, isTruncated: Bool, _ previous: CollectedElements?
    ) -> CollectedElements {
        open.remove(observer)
        let range = observer.firstElement..<max(next, observer.firstElement)
        let collected: CollectedElements
        if let previous, previous.range == range {
            collected = previous
        } else {
            collected = CollectedElements(
                chunks.filter { $0.end > range.lowerBound }, range, bytes: bytes - observer.bytesBefore,
                isTruncated: isTruncated || range.lowerBound > 1)
        }
        observer.collected = collected
        return collected
    }

    /// Drops what no open observer needs.
    private mutating func trim() {
        guard let first = open.first else { return chunks = [] }
        let spent = chunks.prefix { $0.end <= first.firstElement }.count
        if spent > 0 { chunks.removeFirst(spent) }
    }
}
