/// The steps of streams that clients tap.
struct Taps: Sendable {
    struct Place: Sendable, Hashable {
        let stream: String
        let step: String
    }

    private var feeds: [Place: TapFeed] = [:]

    /// The feeds that someone reads.
    var read: [TapFeed] { feeds.values.filter(\.isRead) }

    /// The feed of a place: the one that others read, or a new one.
    mutating func feed(_ place: Place, _ make: () -> TapFeed) -> TapFeed {
        // Where nobody reads, elements pass unseen.
        if let feed = feeds[place], feed.isRead { return feed }
        let feed = make()
        feeds[place] = feed
        return feed
    }

    mutating func remove(_ feed: TapFeed) {
        let place = Place(stream: feed.name, step: feed.step)
        if feeds[place] === feed { feeds[place] = nil }
    }
}
