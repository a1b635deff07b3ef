/// The feeds of the streams that are configured, and of those that were: a name that is configured again has the feed
/// that it had.
struct StreamFeeds: Sendable {
    private(set) var present: [String: StreamFeed] = [:]
    private(set) var retired: [String: StreamFeed] = [:]
    /// What the rights on those that this host had follow from.
    private(set) var grounds: [String: StreamGrounds] = [:]

    init(retired: [String: StreamFeed] = [:]) { self.retired = retired }

    /// What a new set of streams means for their feeds.
    struct Change: Sendable {
        var added: [StreamFeed] = []
        var kept: [StreamFeed] = []
        var removed: [StreamFeed] = []
    }

    /// - Parameters:
    ///   - old: the streams that were configured.
    ///   - make: makes the feed of a name that was never configured.
    mutating func set(
        _ names: some Collection<String>, after old: [String: any HostedStream], _ make: (String) -> StreamFeed
    ) -> Change {
        var change = Change()
        var next: [String: StreamFeed] = [:]
        for name in names.sorted() {
            if let feed = present.removeValue(forKey: name) {
                next[name] = feed
                change.kept.append(feed)
            } else {
                let feed = retired.removeValue(forKey: name) ?? make(name)
                grounds[name] = nil
                next[name] = feed
                change.added.append(feed)
            }
        }
        change.removed = present.values.sorted { $0.name < $1.name }
        for feed in change.removed {
            retired[feed.name] = feed
            grounds[feed.name] = old[feed.name].map { StreamGrounds($0, isFormer: true) }
        }
        present = next
        return change
    }
}
