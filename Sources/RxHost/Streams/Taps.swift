/// The steps of streams that clients tap.
struct Taps: Sendable {
    struct Place: Sendable, Hashable {
        let stream: String
        let step: String
    }

    private var feeds: [Place: TapFeed] = [:]

    /// The feeds that someone reads.
    var read: [TapFeed] { feeds.values.filter(\.isRead) }

    /// The feed of a place, which all its readers share.
    mutating func feed(_ place: Place, _ make: () -> TapFeed) -> TapFeed {
        if let feed = feeds[place] { return feed }
        let feed = make()
        feeds[place] = feed
        return feed
    }

    mutating func remove(_ feed: TapFeed) {
        let place = Place(stream: feed.name, step: feed.step)
        if feeds[place] === feed { feeds[place] = nil }
    }
}
