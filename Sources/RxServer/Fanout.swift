internal import RxHost

/// One event, or successive events of one source, on the way to one subscription after another.
///
/// That may take several turns of the loop. The lists are those of its beginning: a subscription that is opened later
/// has the events in its snapshot, and one that has ended carries nothing more.
final class Fanout {
    typealias Entries = [SubscriptionTable.Entry]

    /// What the subscriptions are sent.
    enum Content {
        /// The events of the batch.
        ///
        /// - `isLast`: whether nothing more is expected in this turn.
        case batch(isLast: Bool)
        case event(HostEvent)
        /// The whole state, or the difference from the one that the client has.
        case state(HostEvent, ReactorRevision, ReactorRevision.Content, whole: EncodedEvent)
    }

    /// The lists, in the order in which they are visited.
    enum Part {
        case ofSource, ofExecution, toAll
        /// Entries whose subscriptions change with the event, once all others have it.
        case changing
    }

    let content: Content
    let source: Hosted
    /// What a visit costs, in deliveries.
    let cost: Int
    /// The event for the subscriptions: made for the first one that carries it, since most events of an execution
    /// reach none.
    @exclusivity(unchecked) var encoded: EncodedEvent?

    private let ofSource: Entries
    private let ofExecution: Entries
    private let toAll: Entries
    private let changing: Entries
    // Used on the loop alone, in accesses that call nothing which knows them.
    @exclusivity(unchecked) private(set) var part = Part.ofSource
    /// How many entries of `part` are visited.
    @exclusivity(unchecked) private var place = 0
    /// The outputs of all entries, once others may close them in between.
    @exclusivity(unchecked) private var outputs: [ConnectionOutput]?

    init(
        _ content: Content, from source: Hosted, cost: Int, ofSource: Entries, ofExecution: Entries = [],
        toAll: Entries, changing: Entries = []
    ) {
        self.content = content
        self.source = source
        self.cost = cost
        self.ofSource = ofSource
        self.ofExecution = ofExecution
        self.toAll = toAll
        self.changing = changing
    }

    private var entries: Entries {
        switch part {
        case .ofSource: ofSource
        case .ofExecution: ofExecution
        case .toAll: toAll
        case .changing: changing
        }
    }

    /// The entries to visit next, all of one part; nil if all are visited.
    ///
    /// - Parameter deliveries: about how much they cost together.
    func next(_ deliveries: Int) -> ArraySlice<SubscriptionTable.Entry>? {
        while true {
            let entries = entries
            if place < entries.count {
                return entries[place...].prefix(max(1, deliveries / cost))
            }
            place = 0
            switch part {
            case .ofSource: part = .ofExecution
            case .ofExecution: part = .toAll
            case .toAll: part = .changing
            case .changing: return nil
            }
        }
    }

    /// Records that the first `count` entries that `next` returned are visited.
    func advance(by count: Int) { place += count }

    // MARK: In several turns

    /// The rest is for a later turn. Until then, the subscriptions that are left have what came before.
    ///
    /// - Parameter cursor: how far all subscriptions had come before.
    func pause(after cursor: UInt64) {
        guard outputs == nil else { return }
        outputs = [ofSource, ofExecution, toAll, changing].flatMap { $0.map(\.output) }
        let here = (part, place)
        while let entries = next(.max), part != .changing {
            for entry in entries { entry.subscription.isBehind(after: cursor) }
            advance(by: entries.count)
        }
        (part, place) = here
    }

    /// These entries, which are to be visited now, are as far as the others.
    func resume(_ entries: ArraySlice<SubscriptionTable.Entry>) {
        guard outputs != nil else { return }
        for entry in entries { entry.subscription.isBehind(after: nil) }
    }
}

extension HostEvent {
    /// Bytes of a value that take about as long to write as a delivery does.
    private static let bytesPerDelivery = 128

    /// What it costs to encode the event once, in deliveries.
    var deliveriesToEncode: Int { valueBytes / Self.bytesPerDelivery }

    /// Whether rights to its source may have changed.
    var isChange: Bool {
        if case .changed = change { true } else { false }
    }
}
