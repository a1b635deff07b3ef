/// The chain of causes of an execution: the nearest link first, the origin last.
///
/// Rights follow from the nearest link alone: an execution that a rule started belongs to the reactor, whoever
/// dispatched to it. Accounts charge the origin.
///
/// A chain has at most `mostLinks` links. Beyond that, the links before the origin are left out and counted, so that a
/// rule that leads back to itself costs a bounded amount of memory.
public struct Causes: Sendable, Hashable {
    /// The most links of a chain, the nearest and the origin included. Chains are as long as rules call each other, so
    /// a longer one is almost always a loop.
    public static let mostLinks = 32

    private let chain: Chain

    /// What copies of a chain share: every record and event of an execution has one.
    private final class Chain: Sendable, Hashable {
        let by: Origin
        /// Nil for a chain of one link, which nearly all are.
        let earlier: EarlierCauses?

        init(_ by: Origin, after earlier: EarlierCauses?) {
            self.by = by
            self.earlier = earlier
        }

        static func == (one: Chain, other: Chain) -> Bool {
            one === other || (one.by == other.by && one.earlier == other.earlier)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(by)
            hasher.combine(earlier)
        }
    }

    /// The nearest link.
    public var by: Origin { chain.by }

    private var earlier: EarlierCauses? { chain.earlier }

    /// Identifies the memory of the chain: equal for chains that share it, for as long as one of them is kept.
    package var identity: ObjectIdentifier { ObjectIdentifier(chain) }

    /// A chain of one link. Requests of one peer share a chain, since it costs an allocation.
    public init(_ by: Origin) { chain = Chain(by, after: nil) }

    /// A chain with a new nearest link. All executions of one dispatch share `earlier`.
    public init(_ by: Origin, after earlier: EarlierCauses) { chain = Chain(by, after: earlier) }

    /// A chain that was stored. Nil without a link, or with more than `mostLinks`.
    package init?(links: [Origin], omitted: Int) {
        guard let by = links.first, links.count <= Self.mostLinks, omitted >= 0 else { return nil }
        chain = Chain(
            by, after: links.count == 1 ? nil : EarlierCauses(links: Array(links.dropFirst()), omitted: omitted))
    }

    /// All links that are kept, the nearest first and the origin last.
    public var links: [Origin] { earlier.map { [by] + $0.links } ?? [by] }

    /// The number of links that are left out before the last one.
    public var omitted: Int { earlier?.omitted ?? 0 }

    /// The slot that led to it, in UTC; nil if no schedule did, or not directly.
    public var slot: String? { if case .stream(_, let scheduled) = by { scheduled } else { nil } }

    /// The last link: where the chain began.
    public var origin: Origin { earlier?.links.last ?? by }

    /// Whether there are more links than the nearest.
    public var isChain: Bool { earlier != nil }

    /// Approximate bytes of memory beside its own.
    package var cost: Int { earlier.map { 64 * $0.links.count } ?? 0 }
}

/// The links of a chain after the nearest one.
public final class EarlierCauses: Sendable, Hashable {
    fileprivate let links: [Origin]
    fileprivate let omitted: Int

    fileprivate init(links: [Origin], omitted: Int) {
        self.links = links
        self.omitted = omitted
    }

    /// All links of `causes`, for a chain that continues it. Leaves out the link before the last if there are too many.
    public convenience init(_ causes: Causes) {
        var links = causes.links
        var omitted = causes.omitted
        if links.count == Causes.mostLinks {
            links.remove(at: links.count - 2)
            omitted += 1
        }
        self.init(links: links, omitted: omitted)
    }

    /// Whether both have the same links.
    public static func == (one: EarlierCauses, other: EarlierCauses) -> Bool {
        one === other || (one.omitted == other.omitted && one.links == other.links)
    }

    /// Hashes the links.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(links)
        hasher.combine(omitted)
    }
}
